#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace liftwarden::bench {

// Samples in microseconds.
class Samples {
  public:
    void add(double us) { values_.push_back(us); }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    // The value below which a share `p` of the samples lies.
    [[nodiscard]] double at(double p) const {
        std::vector<double> sorted = values_;
        std::sort(sorted.begin(), sorted.end());
        const auto index = static_cast<std::size_t>(p * static_cast<double>(sorted.size() - 1));
        return sorted.empty() ? 0.0 : sorted[index];
    }

  private:
    std::vector<double> values_;
};

inline void print(const std::string& name, const Samples& samples) {
    std::printf("%-44s p50 %8.0f us  p99 %8.0f us  (%zu)\n",
                name.c_str(),
                samples.at(0.5),
                samples.at(0.99),
                samples.size());
}

}  // namespace liftwarden::bench
