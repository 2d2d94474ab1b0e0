# shellcheck shell=bash
# The bugs of focused topics; read by planted.sh.

visit=topics/topic_visit.h
bug "topics joined as if their absence were no news" $visit \
  "joining_ = pi * (-ell() * phi).exp();" "joining_ = pi;" topics
bug "a new topic joined by later documents as if its absence were no news" $visit \
  "const double chosen = atom.pi * std::exp(-ell() * atom.phi);" "const double chosen = atom.pi;" \
  topics
bug "what an ending topic says of fresh ones left out" $visit \
  "const double log_ratio = Fresh::equal ? 0 : fresh_.log_ratio(ell(), atom);" \
  "const double log_ratio = 0;" fresh_topic
bug "the topic before left out of the ratio of a fresh one" $visit \
  "accept(fresh_.log_ratio(ell(), atom) - log_ratio_before)" \
  "accept(fresh_.log_ratio(ell(), atom) - 0 * log_ratio_before)" fresh_topic
bug "fresh topics where exposures differ always accepted" $visit \
  "if (!Fresh::equal && !accept" "if (false && !accept" fresh_topic
bug "a token counts itself among its word" $visit \
  "mass += (list[n].count - is_own) *" "mass += list[n].count *" topics
bug "a token counts itself in its topic" $visit \
  "- 1) * inverse(k, 1);" "- 1) * inverse(k, 0);" topics
bug "size of a topic that has lost or won a token not kept" $visit \
  "    inverse_(k) = inverse(k, 0);
    const double now" "    const double now" topics
bug "smoothing without eta" $visit \
  "(mass + eta_ * own.sum + fresh_mass)" "(mass + own.sum + fresh_mass)" topics
bug "fresh topics with the mass of every word" $visit \
  "fresh_.mass(ell()) / state_.data->words();" "fresh_.mass(ell());" fresh_topic
bug "weight of a topic that a token has left not put back" $visit \
  "per_word_(own.topic) = of_own;" "" topics
bug "sizes of topics not renewed after a move" $visit \
  "void refresh(int k) { inverse_(k) = inverse(k, 0); }" "void refresh(int) {}" topics

bug "topics beyond as many as there may be" $visit \
  "topics_ < state_.model.max_topics ? fresh_mass_ : 0;" "fresh_mass_;" topics_joint
bug "topics that have ended still counted" $visit \
  "    --topics_;
" "" topics_joint

fresh=topics/topic_state.cpp
bug "mass of fresh topics summed from no document on" $fresh \
  "for (int j = 1; j <= documents; ++j)
    cumulated_[j - 1]" "for (int j = 0; j < documents; ++j)
    cumulated_[j]" fresh_topic
bug "fresh topics beside one document less" $fresh \
  "return {draw_fresh_pi(ell_ * phi, documents_, rng), phi};" \
  "return {draw_fresh_pi(ell_ * phi, documents_ - 1, rng), phi};" fresh_topic
bug "weight of a fresh topic without its token" $fresh \
  "rng.gamma(gamma_ + 1, 1 + j * ell_)" "rng.gamma(gamma_, 1 + j * ell_)" fresh_topic
bug "fresh topics weighted with the document itself" $fresh \
  "log_absent(atom) - std::log1p(atom.pi * std::expm1(-ell * atom.phi))" \
  "log_absent(atom) + 0 * ell" fresh_topic
bug "fresh topics weighted without what was proposed for pi" $fresh \
  "- (count() - 1) * std::log1p(-atom.pi * share) +" "+" fresh_topic
bug "log probabilities of the last documents left out" $fresh \
  "from < absent.size(); from += 16" "from + 16 <= absent.size(); from += 16" fresh_topic
bug "a new document among those that were there" $fresh \
  "Eigen::ArrayXd::Constant(documents + 1, mean)" "Eigen::ArrayXd::Constant(documents, mean)" \
  fresh_topic
bug "fresh topics without a token whatever other documents show" $fresh \
  "if (std::log(rng.uniform()) < log_missed) weights.push_back(phi);" \
  "weights.push_back(phi);" fresh_topic

move=topics/topics.cpp
bug "own tokens not subtracted in a move" topics/topic_move.h \
  "entry.before -= entry.topic == state_.z[i];" "entry.before -= 0 * (entry.topic == state_.z[i]);" topics
bug "topics of one document end in a move" $move \
  "accepted = keeps_all() && " "accepted = " topics
bug "odds of the second topic of an exchange with the wrong sign" $move \
  "(flipped == k) == has_k ? -odds : odds" "has_k ? -odds : odds" topics
bug "odds of a move without the exposure" $move \
  "- state_.ell(document_.m) * atom.phi;" ";" topics
bug "a dealt token counted in its topic's size only" topics/topic_move.h \
  "(phi + ++held_[k]) /" "(++held_[k], phi) /" topics
bug "tokens dealt before left out of the next" $move \
  "++entry_of(to).after;" "" topics
bug "moves proposed by what the document has itself" $move \
  "for (const Entry& entry : entries_) sum += entry.before / (others(entry.topic) + all_);" \
  "for (Entry& e : entries_) sum += (e.before += document_.held[e.topic]) / (others(e.topic) + all_);" \
  topics
bug "two topics at once both added" $move \
  "if (l != k && draw_choice(l) == has_k) return false;" "" topics
bug "moves whose ratio is forgotten where it is small" $move \
  "log_ratio += std::log(ratio);
      ratio = 1;" "ratio = 1;" topics

parameters=topics/topic_parameters.cpp
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
  "alpha.shape + chosen_.size() + state.silent.size()" "alpha.shape + chosen_.size()" topics_joint
bug "topics chosen in vain left out of gamma" $parameters \
  "for (const ChosenTopic& topic : state.silent) sum += topic.log_marginal(value);" "" topics_joint
bug "topics chosen in vain left out of a document's weight" $parameters \
  "for (const auto* topics : {&chosen_, &state.silent})
    for (const ChosenTopic& topic : *topics)
      topic.documents" "for (const auto* topics : {&chosen_})
    for (const ChosenTopic& topic : *topics)
      topic.documents" topics_joint
bug "topics chosen in vain kept whatever they weigh" $parameters \
  "if (sum < most) silent" "silent" topic_parameters
bug "pi of topics chosen in vain of all documents alike" $parameters \
  "std::log(rng.uniform()) / (first + 1);" "std::log(rng.uniform());" topic_parameters
bug "empty documents choose topics in vain" $parameters \
  "const int m = state.sharing(static_cast<int>(at));" "const int m = static_cast<int>(at);" \
  topic_parameters
bug "weights without their tables" $parameters \
  "rng.gamma(gamma + tables, 1 + exposure)" "rng.gamma(gamma + 1, 1 + exposure)" \
  topic_parameters
bug "weights without exposures" $parameters \
  "{ exposure += ell(m); }" "{ exposure += 0 * ell(m); }" topic_parameters
bug "exposures with one token more" $parameters \
  "rng.log_gamma_draw(length);" "rng.log_gamma_draw(length + 1);" topic_parameters
bug "eta without its Jacobian" $parameters \
  "eta.log_prior_of_log(value) + evidence(value)" \
  "eta.log_prior_of_log(value) - std::log(value) + evidence(value)" topics_joint
bug "log joint without the order of a document's tokens" $parameters \
  "log_factorial(last - first) + (last - first) * M_LN2" "(last - first) * M_LN2" topic_chain
bug "log joint without topics chosen in vain" $parameters \
  "sum += given ? log_density(topic) : 0;" "sum += 0;" topic_chain
bug "log joint with topics chosen in vain where they are integrated out" $parameters \
  "sum += given ? log_density(topic) : 0;" "sum += log_density(topic);" topic_chain
bug "empty documents share topics of given lengths" topics/topic_state.cpp \
  "? int(filled.size())" "? data->documents() + 0 * int(filled.size())" topic_parameters

choices=topics/topic_parameters.cpp
bug "restaurants without their first table" $choices \
  "  ++tables_[k];
" "" topic_parameters
bug "a new table less with every token" $choices \
  "(phi + i) < phi" "(phi + i + 1) < phi" topic_parameters
bug "documents without a token choose as if nothing were known of them" $choices \
  "if (rng.uniform() * (1 - atom.pi + atom.pi * none) < none) chosen.set(m);" "chosen.set(m);" \
  topic_parameters
bug "choices of the wrong documents where some are empty" $choices \
  ": filled[static_cast<std::size_t>(at)];" ": static_cast<int>(at);" topic_parameters

counts=topics/topic_counts.h
bug "evidence of words that says nothing of their topics' sizes" topics/topic_state.cpp \
  "for (int total : totals_) sum -= log_gamma(words_ * eta + total);" "" topic_counts
bug "a topic without tokens of a word stays in its list" $counts \
  "if (list[at].count == 0) list.pop_back();" "" topic_counts
bug "topics that a word comes to more often not moved up in its list" $counts \
  "for (; at > 0 && list[at - 1].count < list[at].count; --at) std::swap(list[at - 1], list[at]);" \
  "" topic_counts
bug "topics of the words' lists not saved" $counts \
  "entry = {topics[at], counts[at]};" "entry = {entry.topic, counts[at]};" topics_resumed
bug "exposures not saved" topics/topic_state.h \
  "    a.of_same_size(ell, \"exposures\");
" "" topics_resumed
bug "numbers above 16383 cut" core/byte_code.h \
  "shift < 35; shift += 7) {" "shift < 35; shift = std::min(shift + 7, 7)) {" \
  topic_counts
bug "documents with a topic not told apart" topics/topic_state.cpp \
  "if (of_topic.empty() || of_topic.back().first != m)" "if (of_topic.empty())" topic_counts
bug "bytes of a draw not kept" gibbs/trace.h \
  "bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());" "" topic_counts
bug "starts where a chain has been with all topics of the word" \
  topics/topic_state.cpp "weights.push_back(count * share[k]" \
  "weights.push_back((count > 0) * share[k]" topic_counts

fold=topics/topics.cpp
bug "share of fresh topics as they are proposed" $fold \
  "fresh_.mass(ell) * std::exp(fresh_.log_ratio(ell, silent))" "fresh_.mass(ell)" topic_fold
bug "fresh topics without a token not among what a new document weighs" $fold \
  "  fresh_.draw_silent(state_.ell(document.m), rng, weights_);
" "" topic_fold
bug "a topic that is not chosen weighs nothing where it would be" $fold \
  "weights(k) / (all + (is_weighed ? 0 : state_.phi(k)))" "weights(k) / all" topic_fold
bug "exposures of new documents by topics that have a token only" $fold \
  "held > 0 || (k < known_ && rng.bernoulli(document.on(k)))" "held > 0" topic_fold
bug "weights of fresh topics without a token added to that of another" topics/topic_state.cpp \
  "weights.push_back(phi);" \
  "weights.empty() ? weights.push_back(phi) : void(weights.back() += phi);" topic_fold
bug "new documents leave their tokens behind" $fold \
  "  leave(m);
" "" topic_fold
bug "new documents leave room behind" $fold \
  "  state_.counts = counts_;
  state_.resize(std::max(1, known_));" "  state_.counts = counts_;" topic_fold
bug "choices of topics with a token left to chance" $fold \
  "means.chosen(k) += document.held[k] > 0 ? 1 : document" "means.chosen(k) += document" topic_fold
bug "means over all sweeps, of which the first are left out" $fold \
  "means.chosen /= plan_.sweeps - plan_.sweeps / 4;" "means.chosen /= plan_.sweeps;" topic_fold
bug "tokens of a new document not counted for its next word" $fold \
  "per_word_[k] = share / (state_.counts.total(k) + words * eta);" \
  "per_word_[k] = is_known ? share / (counts_.total(k) + words * eta) : 0;
    means.flat += is_known ? 0 : share / words;" topic_fold
bug "known exposures drawn" $fold \
  "if (plan_.ell >= 0 || length == 0) return;" "if (length == 0) return;" topic_fold
bug "documents without words of unknown exposure half seen" $fold \
  "if (state_.data->length(m) == 0) state_.ell(m) = std::max(plan_.ell, 0.0);" "" topic_fold
