#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "beams.h"
#include "factorisations.h"
#include "maximisers.h"
#include "samplers.h"
#include "soft.h"

namespace bench {

enum class Scale { raw, centred, shifted };

/// A method, and the scale to which its data are transformed.
struct Method {
  Scale scale;
  std::function<std::unique_ptr<Competitor>(const Entry&)> make;
};

template <class C, class... Arguments>
std::function<std::unique_ptr<Competitor>(const Entry&)> maker(Arguments... arguments) {
  return [=](const Entry& e) { return std::make_unique<C>(e, arguments...); };
}

inline Method factorisation(bool draws, bool learns) {
  return {learns ? Scale::raw : Scale::shifted, [=](const Entry& e) {
            const buffet::Hyper tau = learns ? buffet::Hyper::gamma(1, 1) : e.papers().precisions.x;
            return std::make_unique<Factorisation>(e, tau, draws);
          }};
}

/// The methods in the comparison, with their names in the tables.
inline std::map<std::string, Method> methods() {
  using Normal = buffet::GaussianCollapsed;
  using Nonnegative = buffet::GaussianNonnegative;
  return {{"meibp", {Scale::shifted, maker<PublishedMeibp>(true)}},
          {"meibp by sweeps", {Scale::shifted, maker<PublishedMeibp>(false)}},
          {"meibp raw", {Scale::raw, maker<PublishedMeibp>(true)}},
          {"meibp + aibp", {Scale::raw, maker<MeibpThenSampler>()}},
          {"meibp default", {Scale::raw, maker<DefaultMeibp>()}},
          {"f-vibp", {Scale::centred, maker<OneAscent<FiniteVibp>>(false)}},
          {"i-vibp", {Scale::centred, maker<OneAscent<InfiniteVibp>>(false)}},
          {"f-vibp default", {Scale::raw, maker<DefaultSoft<FiniteVibp>>()}},
          {"imf", {Scale::centred, maker<OneAscent<Imf>>(true)}},
          {"inmf", {Scale::shifted, maker<OneAscent<Inmf>>(true)}},
          {"aibp", {Scale::centred, maker<PublishedSampler<Normal>>(false)}},
          {"t-aibp", {Scale::centred, maker<PublishedSampler<Normal>>(true)}},
          {"aibp raw", {Scale::raw, maker<PublishedSampler<Normal>>(false)}},
          {"aibp default", {Scale::raw, maker<DefaultSampler<Normal>>()}},
          {"ugibbs", {Scale::shifted, maker<PublishedSampler<Nonnegative>>(false)}},
          {"t-ugibbs", {Scale::shifted, maker<PublishedSampler<Nonnegative>>(true)}},
          {"ugibbs default", {Scale::raw, maker<DefaultSampler<Nonnegative>>()}},
          {"beam", {Scale::centred, maker<BeamSearch>()}},
          {"beam default", {Scale::raw, maker<DefaultBeam>()}},
          {"bnmf", factorisation(false, false)},
          {"bnmf default", factorisation(false, true)},
          {"bnmf draws", factorisation(true, false)}};
}

inline void put_on_scale(Problem& problem, const Moments& moments, Scale scale) {
  if (scale == Scale::centred) centre(problem);
  if (scale == Scale::shifted) shift(problem, -moments.least);
}

}  // namespace bench
