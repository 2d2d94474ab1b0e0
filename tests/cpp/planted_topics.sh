# shellcheck shell=bash
# The bugs of focused topics; read by planted.sh.

at topics/topic_visit.h topics
bug "topics joined as if their absence were no news" "joining_ = pi * (-ell() * phi).exp();" \
  "joining_ = pi;"
bug "a new topic joined by later documents as if its absence were no news" \
  "const double chosen = atom.pi * std::exp(-ell() * atom.phi);" "const double chosen = atom.pi;"
bug "a token counts itself among its word" "mass += (list[n].count - is_own) *" \
  "mass += list[n].count *"
bug "a token counts itself in its topic" "- 1) * inverse(k, 1);" "- 1) * inverse(k, 0);"
bug "size of a topic that has lost or won a token not kept" "    inverse_(k) = inverse(k, 0);
    const double now" "    const double now"
bug "smoothing without eta" "(mass + eta_ * own.sum + fresh_mass)" "(mass + own.sum + fresh_mass)"
bug "weight of a topic that a token has left not put back" "per_word_(own.topic) = of_own;" ""
bug "sizes of topics not renewed after a move" " inverse_(k) = inverse(k, 0); " "(void)k;"
at topics/topic_visit.h fresh_topic
bug "what an ending topic says of fresh ones left out" \
  "const double log_ratio = Fresh::equal ? 0 : fresh_.log_ratio(ell(), atom);" \
  "const double log_ratio = 0;"
bug "the topic before left out of the ratio of a fresh one" \
  "accept(fresh_.log_ratio(ell(), atom) - log_ratio_before)" \
  "accept(fresh_.log_ratio(ell(), atom) - 0 * log_ratio_before)"
bug "fresh topics where exposures differ always accepted" "if (!Fresh::equal && !accept" \
  "if (false && !accept"
bug "fresh topics with the mass of every word" "fresh_.mass(ell()) / state_.data->words();" \
  "fresh_.mass(ell());"
at topics/topic_visit.h topics_joint
bug "topics beyond as many as there may be" "topics_ < state_.model.max_topics ? fresh_mass_ : 0;" \
  "fresh_mass_;"
bug "topics that have ended still counted" "    --topics_;
" ""

at topics/topic_state.cpp fresh_topic
bug "mass of fresh topics summed from no document on" "for (int j = 1; j <= documents; ++j)
    cumulated_[j - 1]" "for (int j = 0; j < documents; ++j)
    cumulated_[j]"
bug "fresh topics beside one document less" \
  "return {draw_fresh_pi(ell_ * phi, documents_, rng), phi};" \
  "return {draw_fresh_pi(ell_ * phi, documents_ - 1, rng), phi};"
bug "weight of a fresh topic without its token" "rng.gamma(gamma_ + 1, 1 + j * ell_)" \
  "rng.gamma(gamma_, 1 + j * ell_)"
bug "fresh topics weighted with the document itself" \
  "log_absent(atom) - std::log1p(atom.pi * std::expm1(-ell * atom.phi))" \
  "log_absent(atom) + 0 * ell"
bug "fresh topics weighted without what was proposed for pi" \
  "- (count() - 1) * std::log1p(-atom.pi * share) +" "+"
bug "log probabilities of the last documents left out" "from < absent.size(); from += 16" \
  "from + 16 <= absent.size(); from += 16"
bug "a new document among those that were there" "Eigen::ArrayXd::Constant(documents + 1, mean)" \
  "Eigen::ArrayXd::Constant(documents, mean)"
bug "fresh topics without a token whatever other documents show" \
  "if (std::log(rng.uniform()) < log_missed) weights.push_back(phi);" "weights.push_back(phi);"
at topics/topic_state.cpp topic_parameters
bug "empty documents share topics of given lengths" "? int(filled.size())" \
  "? data->documents() + 0 * int(filled.size())"
at topics/topic_state.cpp topic_counts
bug "evidence of words that says nothing of their topics' sizes" \
  "for (int total : totals_) sum -= log_gamma(words_ * eta + total);" ""
bug "documents with a topic not told apart" "if (of_topic.empty() || of_topic.back().first != m)" \
  "if (of_topic.empty())"
bug "starts where a chain has been with all topics of the word" \
  "weights.push_back(count * share[k]" "weights.push_back((count > 0) * share[k]"
at topics/topic_state.cpp topic_fold
bug "weights of fresh topics without a token added to that of another" "weights.push_back(phi);" \
  "weights.empty() ? weights.push_back(phi) : void(weights.back() += phi);"

at topics/topic_move.h topics
bug "own tokens not subtracted in a move" "entry.before -= entry.topic == state_.z[i];" \
  "entry.before -= 0 * (entry.topic == state_.z[i]);"
bug "a dealt token counted in its topic's size only" "(phi + ++held_[k]) /" "(++held_[k], phi) /"

at topics/topics.cpp topics
bug "topics of one document end in a move" "accepted = keeps_all() && " "accepted = "
bug "odds of the second topic of an exchange with the wrong sign" \
  "(flipped == k) == has_k ? -odds : odds" "has_k ? -odds : odds"
bug "odds of a move without the exposure" "- state_.ell(document_.m) * atom.phi;" ";"
bug "tokens dealt before left out of the next" "++entry_of(to).after;" ""
bug "moves proposed by what the document has itself" \
  "for (const Entry& entry : entries_) sum += entry.before / (others(entry.topic) + all_);" \
  "for (Entry& e : entries_) sum += (e.before += document_.held[e.topic]) / (others(e.topic) + all_);"
bug "two topics at once both added" "if (l != k && draw_choice(l) == has_k) return false;" ""
bug "moves whose ratio is forgotten where it is small" "log_ratio += std::log(ratio);
      ratio = 1;" "ratio = 1;"
at topics/topics.cpp topic_fold
bug "share of fresh topics as they are proposed" \
  "fresh_.mass(ell) * std::exp(fresh_.log_ratio(ell, silent))" "fresh_.mass(ell)"
bug "fresh topics without a token not among what a new document weighs" \
  "  fresh_.draw_silent(state_.ell(document.m), rng, weights_);
" ""
bug "a topic that is not chosen weighs nothing where it would be" \
  "weights(k) / (all + (is_weighed ? 0 : state_.phi(k)))" "weights(k) / all"
bug "exposures of new documents by topics that have a token only" \
  "held > 0 || (k < known_ && rng.bernoulli(document.on(k)))" "held > 0"
bug "new documents leave their tokens behind" "  leave(m);
" ""
bug "new documents leave room behind" "  state_.counts = counts_;
  state_.resize(std::max(1, known_));" "  state_.counts = counts_;"
bug "choices of topics with a token left to chance" \
  "means.chosen(k) += document.held[k] > 0 ? 1 : document" "means.chosen(k) += document"
bug "means over all sweeps, of which the first are left out" \
  "means.chosen /= plan_.sweeps - plan_.sweeps / 4;" "means.chosen /= plan_.sweeps;"
bug "tokens of a new document not counted for its next word" \
  "per_word_[k] = share / (state_.counts.total(k) + words * eta);" \
  "per_word_[k] = is_known ? share / (counts_.total(k) + words * eta) : 0;
    means.flat += is_known ? 0 : share / words;"
bug "known exposures drawn" "if (plan_.ell >= 0 || length == 0) return;" "if (length == 0) return;"
bug "documents without words of unknown exposure half seen" \
  "if (state_.data->length(m) == 0) state_.ell(m) = std::max(plan_.ell, 0.0);" ""

at topics/topic_parameters.cpp topics_joint
bug "alpha as if all topics had a token" \
  "given ? harmonic(state) : expected(state, state.model.gamma.value);" "harmonic(state);"
bug "gamma as if topics without a token were known" "return sum + log_represented(state, value);" \
  "return sum;"
bug "alpha known, gamma as if it were learned" "if (!alpha.learned) return -alpha.value * lambda;" \
  ""
bug "pi of chosen topics Beta(c, M - c)" "rng.gamma(1 + state.shared_by() - count, 1)" \
  "rng.gamma(std::max(state.shared_by() - count, 1), 1)"
bug "topics chosen in vain left out of alpha" "alpha.shape + chosen_.size() + state.silent.size()" \
  "alpha.shape + chosen_.size()"
bug "topics chosen in vain left out of gamma" \
  "for (const ChosenTopic& topic : state.silent) sum += topic.log_marginal(value);" ""
bug "topics chosen in vain left out of a document's weight" \
  "for (const auto* topics : {&chosen_, &state.silent})
    for (const ChosenTopic& topic : *topics)
      topic.documents" "for (const auto* topics : {&chosen_})
    for (const ChosenTopic& topic : *topics)
      topic.documents"
bug "eta without its Jacobian" "eta.log_prior_of_log(value) + evidence(value)" \
  "eta.log_prior_of_log(value) - std::log(value) + evidence(value)"
at topics/topic_parameters.cpp topic_parameters
bug "topics chosen in vain kept whatever they weigh" "if (sum < most) silent" "silent"
bug "pi of topics chosen in vain of all documents alike" "std::log(rng.uniform()) / (first + 1);" \
  "std::log(rng.uniform());"
bug "empty documents choose topics in vain" "const int m = state.sharing(static_cast<int>(at));" \
  "const int m = static_cast<int>(at);"
bug "weights without their tables" "rng.gamma(gamma + tables, 1 + exposure)" \
  "rng.gamma(gamma + 1, 1 + exposure)"
bug "weights without exposures" "{ exposure += ell(m); }" "{ exposure += 0 * ell(m); }"
bug "exposures with one token more" "rng.log_gamma_draw(length);" "rng.log_gamma_draw(length + 1);"
bug "restaurants without their first table" "  ++tables_[k];
" ""
bug "a new table less with every token" "(phi + i) < phi" "(phi + i + 1) < phi"
bug "documents without a token choose as if nothing were known of them" \
  "if (rng.uniform() * (1 - atom.pi + atom.pi * none) < none) chosen.set(m);" "chosen.set(m);"
bug "choices of the wrong documents where some are empty" \
  ": filled[static_cast<std::size_t>(at)];" ": static_cast<int>(at);"
at topics/topic_parameters.cpp topic_chain
bug "log joint without the order of a document's tokens" \
  "log_factorial(last - first) + (last - first) * M_LN2" "(last - first) * M_LN2"
bug "log joint without topics chosen in vain" "sum += given ? log_density(topic) : 0;" "sum += 0;"
bug "log joint with topics chosen in vain where they are integrated out" \
  "sum += given ? log_density(topic) : 0;" "sum += log_density(topic);"

at topics/topic_counts.h topic_counts
bug "a topic without tokens of a word stays in its list" \
  "if (list[at].count == 0) list.pop_back();" ""
bug "topics that a word comes to more often not moved up in its list" \
  "for (; at > 0 && list[at - 1].count < list[at].count; --at) std::swap(list[at - 1], list[at]);" \
  ""
at topics/topic_counts.h topics_resumed
bug "topics of the words' lists not saved" "entry = {topics[at], counts[at]};" \
  "entry = {entry.topic, counts[at]};"

at topics/topic_state.h topics_resumed
bug "exposures not saved" '    a.of_same_size(ell, "exposures");
' ""

at core/byte_code.h topic_counts
bug "numbers above 16383 cut" "shift < 35; shift += 7) {" \
  "shift < 35; shift = std::min(shift + 7, 7)) {"

at gibbs/trace.h topic_counts
bug "bytes of a draw not kept" "bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());" ""
