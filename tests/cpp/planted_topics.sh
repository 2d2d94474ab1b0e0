# shellcheck shell=bash
# The bugs of focused topics; read by planted.sh.

visit=inference/topic_visit.h
bug "topics joined as if no token of them were no news" $visit \
  "joining_ = pi * (-ell() * phi).exp();" "joining_ = pi;" topics_joint
bug "a topic joined by the probability that it is chosen before its tokens are seen" $visit \
  "const double chosen = atom.pi * std::exp(-ell() * atom.phi);" "const double chosen = atom.pi;" \
  topics_joint
bug "what an ending topic says of fresh ones left out" $visit \
  "const double log_ratio = Fresh::equal ? 0 : fresh_.log_ratio(ell(), atom);" \
  "const double log_ratio = 0;" topics_joint
bug "the topic before left out of the ratio of a fresh one" $visit \
  "accept(fresh_.log_ratio(ell(), atom) - log_ratio_before)" \
  "accept(fresh_.log_ratio(ell(), atom) - 0 * log_ratio_before)" topics_joint
bug "fresh topics where exposures differ always accepted" $visit \
  "if (!Fresh::equal && !accept" "if (false && !accept" topics_joint
bug "a token counts itself among its word" $visit \
  "mass += (list[n].count - is_own) *" "mass += list[n].count *" topics_joint
bug "a token counts itself in its topic" $visit \
  "inverse_(k) = inverse(k, 1);" "" topics_joint
bug "size of the topic that a token joins not kept" $visit \
  "inverse_(choice.topic) = inverse(choice.topic, 0);" "" topics_joint
bug "smoothing without eta" $visit \
  "(mass + eta_ * sum_ + fresh_mass_)" "(mass + sum_ + fresh_mass_)" topics_joint
bug "fresh topics with the mass of every word" $visit \
  "fresh_.mass(ell()) / state_.data->words();" "fresh_.mass(ell());" topics_joint

fresh=prior/fresh_topic.h
bug "mass of fresh topics summed from no document on" $fresh \
  "for (int j = 1; j <= documents; ++j)
      cumulated_[j - 1]" "for (int j = 0; j < documents; ++j)
      cumulated_[j]" topics_joint
bug "fresh topics beside one document less" $fresh \
  "return {draw_fresh_pi(ell_ * phi, documents_, rng), phi};" \
  "return {draw_fresh_pi(ell_ * phi, documents_ - 1, rng), phi};" topics_joint
bug "weight of a fresh topic without its token" $fresh \
  "rng.gamma(gamma_ + 1, 1 + j * ell_)" "rng.gamma(gamma_, 1 + j * ell_)" topics_joint

move=inference/topic_move.h
bug "own tokens not subtracted in a move" $move \
  "count -= k == state_.z[i];" "count -= 0 * (k == state_.z[i]);" topics_joint
bug "topics of one document end in a move" $move \
  "if (keeps_all() && " "if (" topics_joint
bug "odds of the second topic of an exchange with the wrong sign" $move \
  "(flipped == k) == has_k ? -odds : odds" "has_k ? -odds : odds" topics_joint
bug "odds of a move without the exposure" $move \
  "- state_.ell(document_.m) * atom.phi;" ";" topics_joint
bug "a dealt token counted in its topic only" $move \
  "(phi + ++held_[k]) /" "(++held_[k], phi) /" topics_joint
bug "tokens dealt before left out of the next" $move \
  "then += new_.per_word(dealt_[s - first()]);" "" topics_joint
bug "topics of one document can be left out" $move \
  "return k != nowhere && state_.lives(k) && others(k) > 0;" \
  "return k != nowhere && state_.lives(k);" topics_joint
bug "moves proposed by what the document has itself" $move \
  "sum += count / (others(k) + all_);
    double at" "sum += (count += document_.held[k]) / (others(k) + all_);
    double at" topics_joint
bug "sizes of topics not renewed after a move" $move \
  "      changed(from);
" "" topics_joint

parameters=inference/topic_parameters.h
bug "alpha as if all topics had a token" $parameters \
  "given ? harmonic(state) : expected(state, state.model.gamma.value);" "harmonic(state);" \
  topics_joint
bug "gamma as if topics without a token were known" $parameters \
  "return sum + log_represented(state, value);" "return sum;" topics_joint
bug "alpha known, gamma as if it were learned" $parameters \
  "if (!alpha.learned) return -alpha.value * lambda;" "" topics_joint
bug "pi of chosen topics Beta(c, M - c)" $parameters \
  "rng.gamma(1 + state.shared_by() - count, 1)" \
  "rng.gamma(std::max(state.shared_by() - count, 1), 1)" topics_joint
bug "topics chosen in vain left out of alpha" $parameters \
  "alpha.shape + chosen_.size() + silent_.size()" "alpha.shape + chosen_.size()" topics_joint
bug "topics chosen in vain left out of gamma" $parameters \
  "for (const ChosenTopic& topic : silent_) sum += topic.log_marginal(value);" "" topics_joint
bug "topics chosen in vain left out of what a document has chosen" $parameters \
  "for (const auto* topics : {&chosen_, &silent_})
      for (const ChosenTopic& topic : *topics)
        topic.documents" "for (const auto* topics : {&chosen_})
      for (const ChosenTopic& topic : *topics)
        topic.documents" topics_joint
bug "topics chosen in vain kept whatever they weigh" $parameters \
  "if (sum < most) silent" "silent" topics_joint
bug "topics chosen in vain of all documents alike" $parameters \
  "std::log(rng.uniform()) / (first + 1);" "std::log(rng.uniform());" topics_joint
bug "weights without their tables" $parameters \
  "phi = rng.gamma(gamma + tables, 1 + exposure);" "phi = rng.gamma(gamma + 1, 1 + exposure);" \
  topics_joint
bug "weights without exposures" $parameters \
  "{ exposure += ell(m); }" "{ exposure += 0 * ell(m); }" topics_joint
bug "exposures with one token more" $parameters \
  "rng.log_gamma_draw(length);" "rng.log_gamma_draw(length + 1);" topics_joint
bug "eta without its Jacobian" $parameters \
  "eta.log_prior_of_log(value) + evidence(value)" \
  "eta.log_prior_of_log(value) - log_eta + evidence(value)" topics_joint
bug "empty documents share topics of given lengths" likelihood/topic_state.h \
  "? int(filled.size())" "? data->documents() + 0 * int(filled.size())" topics_joint

choices=inference/topic_choices.h
bug "restaurants without their first table" $choices \
  "++tables_[k];
" "" topics_joint
bug "a new table less with every token" $choices \
  "(phi + i) < phi" "(phi + i + 1) < phi" topics_joint
bug "documents without a token choose as if nothing were known of them" $choices \
  "if (rng.uniform() * (1 - atom.pi + atom.pi * none) < none) chosen.set(m);" "chosen.set(m);" \
  topics_joint
bug "choices of the wrong documents where some are empty" $choices \
  "all ? static_cast<int>(at) : filled[static_cast<std::size_t>(at)]" \
  "all ? static_cast<int>(at) : static_cast<int>(at)" topics_joint
