import HearthServer
import Testing

@Suite("Figures for Prometheus", .timeLimit(.minutes(20)))
struct PrometheusTextTests {
    @Test("Labels are escaped, histograms add up")
    func text() {
        var text = PrometheusText()
        text.family("a_total", .counter, "Help.")
        text.sample("a_total", [("path", "a\\b\"c\nd")], 3)
        var histogram = Histogram([0.5, 1])
        for value in [0.1, 0.5, 0.7, 5] { histogram.add(value) }
        text.histogram("b_seconds", [("kind", "warm")], histogram)
        #expect(
            text.text == """
                # HELP a_total Help.
                # TYPE a_total counter
                a_total{path="a\\\\b\\"c\\nd"} 3
                b_seconds_bucket{kind="warm",le="0.5"} 2
                b_seconds_bucket{kind="warm",le="1"} 3
                b_seconds_bucket{kind="warm",le="+Inf"} 4
                b_seconds_sum{kind="warm"} 6.3
                b_seconds_count{kind="warm"} 4

                """)
    }
}
