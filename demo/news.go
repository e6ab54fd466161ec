package demo

import (
	"fmt"
	"strings"
	"time"

	"piyasa/domain/news"
	"piyasa/internal/value"
)

// headline is an invented news item. # stands for a number, {} for the name of its first
// company.
type headline struct {
	codes          []string // of its companies; none: it is about the market
	title, summary string
	mood           string
	score          string // -1 to 1; empty: not scored
}

// headlines are the news of the last weeks, oldest first.
var headlines = []headline{
	{[]string{"DMBNK"}, "{} # şube daha açacak",
		"Banka yıl sonuna kadar # yeni şube açmayı planlıyor; yatırım öz kaynaklardan karşılanacak.", "positive", "0.42"},
	{[]string{"DMOST"}, "{} hatlarını # gün durduruyor",
		"Fabrikada bakım için üretime # gün ara verilecek. Şirket teslimatların etkilenmeyeceğini bildirdi.", "negative", "-0.31"},
	{nil, "Piyasada işlem hacmi yüzde # arttı",
		"Haftanın son gününde hacim bir önceki haftaya göre yükseldi; en çok sanayi payları işlem gördü.", "neutral", "0.05"},
	{[]string{"DMPET"}, "{} rafineri için # milyon dolar ayırdı",
		"Yeni ünite üç yılda tamamlanacak; kapasitenin onda bir artması bekleniyor.", "positive", "0.58"},
	{[]string{"DMCEL", "DMOST"}, "{} ile Demo Otomotiv arasında çelik anlaşması",
		"Taraflar # ay sürecek bir tedarik sözleşmesi imzaladı. Fiyat endekse bağlı olacak.", "positive", "0.66"},
	{[]string{"DMHVY"}, "{} seferlerini azaltıyor", "Kış tarifesinde # hat kaldırıldı; gerekçe artan yakıt gideri.", "negative", "-0.47"},
	{[]string{"DMYZL"}, "{} yapay zekâ ürününü tanıttı", "Ürün # kurumsal müşteride deneniyor. Satışa ne zaman çıkacağı açıklanmadı.",
		"positive", ""},
	{[]string{"DMMRK"}, "{} fiyatları # ürün grubunda sabitledi",
		"Zincir, yıl sonuna kadar zam yapmayacağını duyurdu; kâr marjı üzerindeki etki belirsiz.", "neutral", "-0.08"},
	{[]string{"DMHLD", "DMBNK", "DMPET"}, "{} iştiraklerinden # milyon lira bekliyor",
		"Holding, banka ve rafineriden gelecek kâr payıyla borcunu azaltacak.", "positive", "0.39"},
	{[]string{"DMOST"}, "{} # bin araçlık sipariş aldı",
		"Teslimatlar gelecek yılın ilk yarısında başlayacak. Siparişin değeri açıklanmadı.", "positive", "0.71"},
	{nil, "Endekslerde dönemsel değerlendirme yaklaşıyor", "Çıkacak ve girecek paylar bu ay belli olacak.", "neutral", ""},
	{[]string{"DMBNK"}, "{} için not görünümü durağan", "Derecelendirme kuruluşu # sayfalık raporunda notu teyit etti.", "neutral", "0.12"},
}

// appendNews appends the news, each half an hour after one of the past disclosures.
func (p *newsroom) appendNews(lines []byte) []byte {
	random, names := seeded("news"), map[string]string{}
	for _, c := range p.companies {
		names[c.code] = c.name
	}
	for i, h := range headlines {
		number := fmt.Sprint(5 + random.IntN(90))
		say := func(text string) string {
			if len(h.codes) > 0 {
				text = strings.ReplaceAll(text, "{}", names[h.codes[0]])
			}
			return strings.ReplaceAll(text, "#", number)
		}
		id := fmt.Sprintf("demo-%d", i+1)
		item := &news.Item{
			NewsID: id, Title: say(h.title), Symbols: append([]string{}, h.codes...), Summary: new(say(h.summary)),
			Link:        new("https://news.example.test/" + id),
			PublishedAt: p.past[(i+1)*len(p.past)/len(headlines)-1].PublishedAt.Add(30 * time.Minute),
			Sentiment:   &news.Sentiment{Label: h.mood},
		}
		if h.score != "" {
			item.Sentiment.Score = value.MustDecimal(h.score)
		}
		lines = appendRecord(lines, "news", item)
	}
	return lines
}
