# shellcheck shell=bash
# The bugs of focused topics; read by planted.sh.

at topics/topic_visit.h topics
bug "topics joined as if their lack of tokens were certain" \
  "joining_ = pi * (-ell() * phi).exp();" \
  "joining_ = pi;"
bug "a new topic joined by later documents as if its lack of tokens were certain" \
  "const double chosen = atom.pi * std::exp(-ell() * atom.phi);" "const double chosen = atom.pi;"
bug "a token counts itself in its word" "mass += (list[n].count - is_own) *" \
  "mass += list[n].count *"
bug "a token counts itself in its topic" "- 1) * inverse(k, 1);" "- 1) * inverse(k, 0);"
bug "size of a topic not updated after it loses or gains a token" "    inverse_(k) = inverse(k, 0);
    const double now" "    const double now"
bug "smoothing without eta" "(mass + eta_ * own.sum + fresh_mass)" "(mass + own.sum + fresh_mass)"
bug "weight of a topic not restored after a token leaves it" "per_word_(own.topic) = of_own;" ""
bug "sizes of topics not updated after a move" " inverse_(k) = inverse(k, 0); " "(void)k;"
at topics/topic_visit.h fresh_topic
bug "contribution of an ending topic to fresh ones left out" \
  "const double log_ratio = Fresh::equal ? 0 : fresh_.log_ratio(ell(), atom);" \
  "const double log_ratio = 0;"
bug "the previous topic left out of the ratio of a fresh one" \
  "accept(fresh_.log_ratio(ell(), atom) - log_ratio_before)" \
  "accept(fresh_.log_ratio(ell(), atom) - 0 * log_ratio_before)"
bug "fresh topics always accepted if exposures differ" "if (!Fresh::equal && !accept" \
  "if (false && !accept"
bug "fresh topics with the mass of every word" "fresh_.mass(ell()) / state_.data->words();" \
  "fresh_.mass(ell());"
at topics/topic_visit.h topics_joint
bug "more topics than allowed" "topics_ < state_.model.max_topics ? fresh_mass_ : 0;" \
  "fresh_mass_;"
bug "topics that have ended still counted" "    --topics_;
" ""

at topics/topic_state.cpp fresh_topic
bug "mass of fresh topics summed from zero documents on" "for (int j = 1; j <= documents; ++j)
    cumulated_[j - 1]" "for (int j = 0; j < documents; ++j)
    cumulated_[j]"
bug "fresh topics given one document fewer" \
  "return {draw_fresh_pi(ell_ * phi, documents_, rng), phi};" \
  "return {draw_fresh_pi(ell_ * phi, documents_ - 1, rng), phi};"
bug "weight of a fresh topic without its token" "rng.gamma(gamma_ + 1, 1 + j * ell_)" \
  "rng.gamma(gamma_, 1 + j * ell_)"
bug "fresh topics weighted with the document itself" \
  "log_absent(atom) - std::log1p(atom.pi * std::expm1(-ell * atom.phi))" \
  "log_absent(atom) + 0 * ell"
bug "fresh topics weighted without the proposal for pi" \
  "- (count() - 1) * std::log1p(-atom.pi * share) +" "+"
bug "log probabilities of the last documents left out" "from < absent.size(); from += 16" \
  "from + 16 <= absent.size(); from += 16"
bug "a new document counted among the documents of the fit" \
  "Eigen::ArrayXd::Constant(documents + 1, mean)" \
  "Eigen::ArrayXd::Constant(documents, mean)"
bug "fresh topics without a token, ignoring other documents" \
  "if (std::log(rng.uniform()) < log_missed) weights.push_back(phi);" "weights.push_back(phi);"
at topics/topic_state.cpp topic_parameters
bug "empty documents have shares of topics with given lengths" "? int(filled.size())" \
  "? data->documents() + 0 * int(filled.size())"
at topics/topic_state.cpp topic_counts
bug "evidence of words without the sizes of their topics" \
  "for (int total : totals_) sum -= log_gamma(words_ * eta + total);" ""
bug "documents with a topic not distinguished" \
  "if (of_topic.empty() || of_topic.back().first != m)" \
  "if (of_topic.empty())"
bug "starts from a chain state with all topics of the word" \
  "weights.push_back(count * share[k]" "weights.push_back((count > 0) * share[k]"
at topics/topic_state.cpp topic_fold
bug "weights of fresh topics without a token added to the weight of another" \
  "weights.push_back(phi);" \
  "weights.empty() ? weights.push_back(phi) : void(weights.back() += phi);"

at topics/topic_move.h topics
bug "own tokens not subtracted in a move" "entry.before -= entry.topic == state_.z[i];" \
  "entry.before -= 0 * (entry.topic == state_.z[i]);"
bug "an assigned token counted only in the size of its topic" \
  "(phi + ++held_[k]) /" "(++held_[k], phi) /"

at topics/topics.cpp topics
bug "topics of one document end in a move" "accepted = keeps_all() && " "accepted = "
bug "odds of the second topic of an exchange with the wrong sign" \
  "(flipped == k) == has_k ? -odds : odds" "has_k ? -odds : odds"
bug "odds of a move without the exposure" "- state_.ell(document_.m) * atom.phi;" ";"
bug "tokens assigned earlier ignored for the next" "++entry_of(to).after;" ""
bug "moves proposed from the tokens of the document itself" \
  "for (const Entry& entry : entries_) sum += entry.before / (others(entry.topic) + all_);" \
  "for (Entry& e : entries_) sum += (e.before += document_.held[e.topic]) / (others(e.topic) + all_);"
bug "two topics at once both added" "if (l != k && draw_choice(l) == has_k) return false;" ""
bug "moves whose ratio is ignored if it is small" "log_ratio += std::log(ratio);
      ratio = 1;" "ratio = 1;"
at topics/topics.cpp topic_fold
bug "share of fresh topics as they are proposed" \
  "fresh_.mass(ell) * std::exp(fresh_.log_ratio(ell, silent))" "fresh_.mass(ell)"
bug "fresh topics without a token left out of the weight of a new document" \
  "  fresh_.draw_silent(state_.ell(document.m), rng, weights_);
" ""
bug "a topic that is not chosen has no weight even if it would be chosen" \
  "weights(k) / (all + (is_weighed ? 0 : state_.phi(k)))" "weights(k) / all"
bug "exposures of new documents only from topics with a token" \
  "held > 0 || (k < known_ && rng.bernoulli(document.on(k)))" "held > 0"
bug "new documents leave their tokens behind" "  leave(m);
" ""
bug "new documents leave room behind" "  state_.counts = counts_;
  state_.resize(std::max(1, known_));" "  state_.counts = counts_;"
bug "choices of topics with tokens treated as random" \
  "means.chosen(k) += document.held[k] > 0 ? 1 : document" "means.chosen(k) += document"
bug "means divided by the number of all sweeps" \
  "means.chosen /= plan_.sweeps - plan_.sweeps / 4;" "means.chosen /= plan_.sweeps;"
bug "tokens of a new document not counted for its next word" \
  "per_word_[k] = share / (state_.counts.total(k) + words * eta);" \
  "per_word_[k] = is_known ? share / (counts_.total(k) + words * eta) : 0;
    means.flat += is_known ? 0 : share / words;"
bug "known exposures drawn" "if (plan_.ell >= 0 || length == 0) return;" "if (length == 0) return;"
bug "documents without words of unknown exposure half seen" \
  "if (state_.data->length(m) == 0) state_.ell(m) = std::max(plan_.ell, 0.0);" ""

at topics/topic_parameters.cpp topics_joint
bug "alpha as if all topics had tokens" \
  "given ? harmonic(state) : expected(state, state.model.gamma.value);" "harmonic(state);"
bug "gamma as if topics without a token were known" "return sum + log_represented(state, value);" \
  "return sum;"
bug "alpha known, gamma as if it were learned" "if (!alpha.learned) return -alpha.value * lambda;" \
  ""
bug "pi of chosen topics Beta(c, M - c)" "rng.gamma(1 + state.shared_by() - count, 1)" \
  "rng.gamma(std::max(state.shared_by() - count, 1), 1)"
bug "chosen topics without tokens left out of alpha" \
  "alpha.shape + chosen_.size() + state.silent.size()" \
  "alpha.shape + chosen_.size()"
bug "chosen topics without tokens left out of gamma" \
  "for (const ChosenTopic& topic : state.silent) sum += topic.log_marginal(value);" ""
bug "chosen topics without tokens left out of the weight of a document" \
  "for (const auto* topics : {&chosen_, &state.silent})
    for (const ChosenTopic& topic : *topics)
      topic.documents" "for (const auto* topics : {&chosen_})
    for (const ChosenTopic& topic : *topics)
      topic.documents"
bug "eta without its Jacobian" "eta.log_prior_of_log(value) + evidence(value)" \
  "eta.log_prior_of_log(value) - std::log(value) + evidence(value)"
at topics/topic_parameters.cpp topic_parameters
bug "chosen topics without tokens kept whatever their weight" "if (sum < most) silent" "silent"
bug "pi of chosen topics without tokens equal for all documents" \
  "std::log(rng.uniform()) / (first + 1);" \
  "std::log(rng.uniform());"
bug "empty documents choose topics without tokens" \
  "const int m = state.sharing(static_cast<int>(at));" \
  "const int m = static_cast<int>(at);"
bug "weights without their tables" "rng.gamma(gamma + tables, 1 + exposure)" \
  "rng.gamma(gamma + 1, 1 + exposure)"
bug "weights without exposures" "{ exposure += ell(m); }" "{ exposure += 0 * ell(m); }"
bug "exposures with one more token" "rng.log_gamma_draw(length);" "rng.log_gamma_draw(length + 1);"
bug "restaurants without their first table" "  ++tables_[k];
" ""
bug "a new table too unlikely for every token" "(phi + i) < phi" "(phi + i + 1) < phi"
bug "documents choose topics without regard to their lack of tokens" \
  "if (rng.uniform() * (1 - atom.pi + atom.pi * none) < none) chosen.set(m);" "chosen.set(m);"
bug "choices of the wrong documents if some are empty" \
  ": filled[static_cast<std::size_t>(at)];" ": static_cast<int>(at);"
at topics/topic_parameters.cpp topic_chain
bug "log joint without the order of a document's tokens" \
  "log_factorial(last - first) + (last - first) * M_LN2" "(last - first) * M_LN2"
bug "log joint without chosen topics that have no tokens" \
  "sum += given ? log_density(topic) : 0;" "sum += 0;"
bug "log joint with chosen topics without tokens although they are integrated out" \
  "sum += given ? log_density(topic) : 0;" "sum += log_density(topic);"

at topics/topic_counts.h topic_counts
bug "a topic without tokens of a word remains in its list" \
  "if (list[at].count == 0) list.pop_back();" ""
bug "topics whose count of a word increases not moved up in its list" \
  "for (; at > 0 && list[at - 1].count < list[at].count; --at) std::swap(list[at - 1], list[at]);" \
  ""
at topics/topic_counts.h topics_resumed
bug "topics in the lists of words not saved" "entry = {topics[at], counts[at]};" \
  "entry = {entry.topic, counts[at]};"

at topics/topic_state.h topics_resumed
bug "exposures not saved" '    a.of_same_size(ell, "exposures");
' ""

at core/byte_code.h topic_counts
bug "numbers above 16383 truncated" "shift < 35; shift += 7) {" \
  "shift < 35; shift = std::min(shift + 7, 7)) {"

at gibbs/trace.h topic_counts
bug "bytes of a draw not saved" "bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());" ""
