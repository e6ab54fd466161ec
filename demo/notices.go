package demo

import "piyasa/domain/kap"

// notice is the text of a disclosure. Each # in it is replaced by a random number.
type notice struct {
	kind               kap.Type
	tr, en             string // subject
	summary, summaryEN string
	fields             []statement // of its body; none: it has no body
}

// statement is a field of a body.
type statement struct{ key, tr, en, value, valueEN string }

var (
	isUpdate  = statement{"is_update", "Güncelleme mi", "Update", "Hayır (No)", "No"}
	isDelayed = statement{"is_delayed", "Ertelenmiş bildirim mi", "Postponed", "Hayır (No)", "No"}
)

// companyNotices are filed by companies.
var companyNotices = []notice{
	{kap.CA, "Kâr Payı Dağıtımı", "Cash Dividend", "Brüt # milyon TL kâr payı", "Gross dividend of TRY # million", []statement{
		isUpdate,
		{"gross_amount", "Brüt tutar (TL)", "Gross amount (TRY)", "#000000", "#000000"},
		{"payment", "Ödeme", "Payment", "Peşin", "At once"},
		{"form", "Ödeme şekli", "Form of payment", "Nakit", "Cash"},
	}},
	{kap.ODA, "Yeni İş İlişkisi", "New Business Relation", "# milyon TL tutarında sözleşme imzalandı",
		"A contract of TRY # million was signed", []statement{
			isUpdate, isDelayed,
			{"amount", "Sözleşme tutarı (TL)", "Amount of the contract (TRY)", "#000000", "#000000"},
			{"explanation", "Açıklama", "Explanation", "Sözleşme 12 ay sürelidir.", "The contract runs for 12 months."},
		}},
	{kap.ODA, "Payların Geri Alınması", "Share Buyback", "# bin adet pay geri alındı", "# thousand shares were bought back", []statement{
		isUpdate,
		{"shares", "Alınan pay (adet)", "Shares bought", "#000", "#000"},
	}},
	{kap.ODA, "Yatırım Kararı", "Investment Decision", "# milyon TL tutarında yatırım", "An investment of TRY # million", nil},
	{kap.ODA, "Yönetim Kurulu Üyeliği", "Board Membership", "", "", nil},
	{kap.ODA, "Kredi Derecelendirmesi", "Credit Rating", "Not teyit edildi, görünüm durağan",
		"The rating was affirmed, the outlook is stable", []statement{
			isUpdate,
			{"rating", "Uzun vadeli ulusal not", "Long-term national rating", "AA (tr)", "AA (tr)"},
		}},
	{kap.DG, "Genel Kurul Toplantısı", "General Assembly", "Toplantı çağrısı", "Call to the meeting", nil},
	{kap.DG, "Yatırımcı Sunumu", "Investor Presentation", "", "", nil},
}

// fundNotices are filed by the management company of the funds.
var fundNotices = []notice{
	{kap.FON, "Yatırımcı Bilgi Formu", "Investor Information Form", "", "", nil},
	{kap.FON, "Fon Gider Bilgileri", "Fund Expenses", "Toplam gider oranı on binde #", "Total expenses of # per ten thousand", []statement{
		{"expense_ratio", "Toplam gider oranı (on binde)", "Total expense ratio (per ten thousand)", "#", "#"},
	}},
}

// marketNotices are filed by the regulator for the whole market.
var marketNotices = []notice{
	{kap.DUY, "Seans Saatleri Hakkında Duyuru", "Announcement about Trading Hours", "Seans saatlerinde değişiklik yoktur",
		"Trading hours stay as they are", nil},
	{kap.DUY, "Endeks Dönemsel Değerlendirmesi", "Periodic Review of Indices", "# pay değerlendirildi", "# stocks were reviewed", nil},
}
