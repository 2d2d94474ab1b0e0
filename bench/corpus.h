#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/rng.h"

namespace bench {

/// Documents as lists of words, which are numbered from 0. Equal words in a document are adjacent.
struct Corpus {
  int words = 0;
  std::vector<std::vector<int>> documents;

  int tokens() const {
    int n = 0;
    for (const auto& document : documents) n += static_cast<int>(document.size());
    return n;
  }
};

/// The file has a line "documents words", then one line per document: "word:count word:count ...".
inline void write_corpus(const Corpus& corpus, std::ostream& out) {
  out << corpus.documents.size() << ' ' << corpus.words << '\n';
  for (const auto& document : corpus.documents) {
    const char* gap = "";
    for (std::size_t i = 0, next; i < document.size(); i = next) {
      next = i;
      while (next < document.size() && document[next] == document[i]) ++next;
      out << gap << document[i] << ':' << next - i;
      gap = " ";
    }
    out << '\n';
  }
}

inline std::vector<int> read_document(const std::string& line, int words) {
  std::vector<int> document;
  std::istringstream in(line);
  int word, count;
  char colon;
  while (in >> word >> colon >> count) {
    if (colon != ':' || word < 0 || word >= words || count < 0)
      throw std::runtime_error("not a document: " + line);
    document.insert(document.end(), count, word);
  }
  if (!in.eof()) throw std::runtime_error("not a document: " + line);
  return document;
}

inline Corpus read_corpus(std::istream& in) {
  Corpus corpus;
  std::size_t documents = 0;
  std::string line;
  if (!(in >> documents >> corpus.words) || !std::getline(in, line))
    throw std::runtime_error("a corpus begins with its numbers of documents and words");
  while (corpus.documents.size() < documents && std::getline(in, line))
    corpus.documents.push_back(read_document(line, corpus.words));
  if (corpus.documents.size() < documents) throw std::runtime_error("the corpus ends too early");
  return corpus;
}

inline Corpus read_corpus(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  return read_corpus(in);
}

/// Splits the tokens of every document into two halves; if their number is odd, the first half has
/// one more.
struct Halves {
  Corpus seen, rest;
};

inline Halves halves(const Corpus& corpus, buffet::Rng& rng) {
  Halves split{{corpus.words, {}}, {corpus.words, {}}};
  for (std::vector<int> document : corpus.documents) {
    rng.shuffle(document);
    const auto middle = document.begin() + (document.size() + 1) / 2;
    std::sort(document.begin(), middle);
    std::sort(middle, document.end());
    split.seen.documents.emplace_back(document.begin(), middle);
    split.rest.documents.emplace_back(middle, document.end());
  }
  return split;
}

}  // namespace bench
