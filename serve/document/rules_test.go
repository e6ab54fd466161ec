package document

import "testing"

// What the library's rules let pass is refused all the same.
func TestRulesOfOurs(t *testing.T) {
	for text, valid := range map[string]bool{
		`subscription {quoteStream(ids: ["crypto:btc"]) {__typename} quoteStream(ids: ["crypto:btc"]) {__typename}}`:                        true,
		`subscription {...F ...F} fragment F on Subscription {quoteStream(ids: ["crypto:btc"]) {__typename}}`:                               true,
		`subscription {quoteStream(ids: ["crypto:btc"]) {__typename} again: quoteStream(ids: ["crypto:btc"]) {__typename}}`:                 false,
		`subscription {...F again: quoteStream(ids: []) {__typename}} fragment F on Subscription {... {quoteStream(ids: []) {__typename}}}`: false,
		`subscription {quoteStream(ids: []) {__typename} ... {disclosureStream(topics: []) {__typename}}}`:                                  false,
		`subscription {__typename}`:                                              false,
		`{...F} fragment F on Query {__typename}`:                                true,
		`{...F} fragment F($x: Int = 1) on Query {__typename}`:                   false,
		`{candles(id: "crypto:btc", resolution: D1, limit: 2147483648) {count}}`: false,
	} {
		if _, errs := NewReader(schema, 0).Read(text); (len(errs) == 0) != valid {
			t.Errorf("%s: %v", text, errs)
		}
	}
}
