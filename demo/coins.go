package demo

import (
	"strconv"

	"piyasa/domain/market"
	"piyasa/internal/value"
)

// firstCoin is the number of the first coin, far above the real ones.
const firstCoin = 900_001

// coinTable lists the coins by rank. Tickers may be shared or missing.
var coinTable = []struct {
	ticker, name, slug, price string
	supply                    int64
}{
	{"DMC", "Demo Coin", "demo-coin", "64250.00", 19_800_000},
	{"DZN", "Demo Zincir", "demo-zincir", "3120.45", 120_000_000},
	{"DKP", "Demo Köprü", "demo-kopru", "582.37", 145_000_000},
	{"DIR", "Demo Irmak", "demo-irmak", "148.62", 480_000_000},
	{"DCN", "Demo Çınar", "demo-cinar", "2.4187", 28_000_000_000},
	{"DGN", "Demo Güneş", "demo-gunes", "31.842", 1_600_000_000},
	{"DAY", "Demo Ay", "demo-ay", "7.9136", 5_100_000_000},
	{"DLY", "Demo Lale", "demo-lale", "412.08", 71_000_000},
	{"42", "Demo Kırk İki", "demo-kirk-iki", "42.424", 610_000_000},
	{"DSM", "Demo Şimşek", "demo-simsek", "96.35", 230_000_000},
	{"DOD", "Demo Ödeme", "demo-odeme", "0.31874", 58_000_000_000},
	{"DAG", "Demo Ağaç", "demo-agac", "18.207", 860_000_000},
	{"DDZ", "Demo Deniz", "demo-deniz", "5.4429", 2_400_000_000},
	{"", "Demo Adsız", "demo-adsiz", "1.8063", 6_200_000_000},
	{"DYZ", "Demo Yıldız", "demo-yildiz", "0.092461", 110_000_000_000},
	{"DYZ", "Demo Yaldız", "demo-yaldiz", "11.735", 740_000_000},
	{"DBL", "Demo Bulut", "demo-bulut", "3.2718", 2_300_000_000},
	{"DRZ", "Demo Rüzgâr", "demo-ruzgar", "0.74215", 8_900_000_000},
	{"DAT", "Demo Ateş", "demo-ates", "27.960", 190_000_000},
	{"DTP", "Demo Toprak", "demo-toprak", "0.0061834", 720_000_000_000},
	{"DKD", "Demo Kedi", "demo-kedi", "0.00001284", 310_000_000_000_000},
	{"DKO", "Demo Köpek", "demo-kopek", "0.00018452", 18_000_000_000_000},
	{"DBK", "Demo Balık", "demo-balik", "1.1502", 2_500_000_000},
	{"DAR", "Demo Arı", "demo-ari", "64.71", 41_000_000},
	{"DUZ", "Demo Üzüm", "demo-uzum", "0.45380", 5_200_000_000},
	{"DIN", "Demo İncir", "demo-incir", "8.0625", 260_000_000},
	{"DNR", "Demo Nar", "demo-nar", "0.028347", 64_000_000_000},
	{"DFS", "Demo Fıstık", "demo-fistik", "2.9941", 530_000_000},
	{"DLY", "Demo Leylek", "demo-leylek", "0.11786", 12_000_000_000},
	{"DBB", "Demo Biber", "demo-biber", "0.00000973", 120_000_000_000_000},
	{"DSR", "Demo Sır", "demo-sir", "153.40", 6_800_000},
	{"DOY", "Demo Oyun", "demo-oyun", "0.36092", 2_700_000_000},
	{"DSN", "Demo Sanat", "demo-sanat", "4.7518", 180_000_000},
	{"DMZ", "Demo Müzik", "demo-muzik", "0.083155", 9_400_000_000},
	{"DDF", "Demo Defter", "demo-defter", "12.648", 55_000_000},
	{"DKS", "Demo Kasa", "demo-kasa", "0.99420", 640_000_000},
	{"DPS", "Demo Pusula", "demo-pusula", "21.073", 27_000_000},
	{"DFN", "Demo Fener", "demo-fener", "0.52716", 980_000_000},
	{"DTK", "Demo Takas", "demo-takas", "6.3384", 72_000_000},
	{"DKH", "Demo Kâhin", "demo-kahin", "0.015029", 26_000_000_000},
}

// refreshSeconds returns the seconds between observations of a coin at a place in the ranking.
func refreshSeconds(place int) int {
	switch {
	case place < 24:
		return 60
	case place < 32:
		return 180
	}
	return 300
}

func coins() []listing {
	var all []listing
	for place, row := range coinTable {
		number := firstCoin + place
		symbol := strconv.Itoa(number)
		in := market.Instrument{
			InstrumentID: market.ID(string(market.Crypto) + ":" + symbol), Symbol: symbol, Name: row.name,
			Market: market.Crypto, AssetType: market.Coin, Currency: string(market.USD), Source: new(source),
			Session: aroundTheClock("UTC"), Delay: new(refreshSeconds(place)), CoverageFrom: value.NewDate(2025, 4, 5),
			CmcID: &number, Slug: new(row.slug),
		}
		if row.ticker != "" {
			in.Ticker = new(row.ticker)
		}
		all = append(all, listing{Instrument: in, times: always("UTC"), price: row.price, size: row.supply})
	}
	return all
}

// aroundTheClock returns a session that never closes.
func aroundTheClock(zone string) *market.Session {
	return &market.Session{Timezone: zone, AlwaysOpen: true}
}
