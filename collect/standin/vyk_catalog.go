package standin

import (
	"encoding/json"
	"net/http"
	"strings"
)

// vykCatalog answers with companies and funds. Company 777 is there twice, 778 has no code, 779
// is a list of oddities, and there are no details of 780.
func vykCatalog(w http.ResponseWriter, r *http.Request, service, id string) {
	switch service {
	case "members":
		vykAnswer(w, []map[string]any{
			{"id": "777", "title": "ÖRNEK IŞIK A.Ş.", "stockCode": "ORNKA, ORNKB", "memberType": "IGS, DDK", "kfifUrl": nil},
			{"id": 778, "title": "ÖRNEK PORTFÖY", "stockCode": nil, "memberType": "PYS"},
			{"id": "777", "title": "ÖRNEK IŞIK A.Ş.", "stockCode": "ORNKC", "memberType": "IGS"},
			{"id": "779", "title": "ÖRNEK TUHAF A.Ş.", "stockCode": "ORNEB", "memberType": "IGS"},
			{"id": "780", "title": "ÖRNEK YOK A.Ş.", "stockCode": "ORNYK", "memberType": "IGS"},
		})
	case "memberSecurities":
		vykAnswer(w, []map[string]any{
			{"member": map[string]any{"id": "777", "memberType": "IGS", "kayitliSermayeTavani": json.Number("2E+9"),
				"sirketUnvan": "ÖRNEK IŞIK A.Ş."}, "securities": []map[string]any{
				vykSecurity("ORNKA", "A", json.Number("101234567.125"), false), vykSecurity("ORNKB", "B", 100, false),
				vykSecurity("ORNKB", "B", 200, true),
			}},
			{"member": map[string]any{"id": "779", "kayitliSermayeTavani": 0}, "securities": vykSecurity("ORNEB", "", 5, true)},
			{"member": map[string]any{"id": "999", "kayitliSermayeTavani": nil}, "securities": []map[string]any{}},
		})
	case "memberDetail":
		fields := vykProfiles[id]
		if fields == nil {
			vykRefuse(w, vykNone)
			return
		}
		vykAnswer(w, fields)
	case "funds":
		vykAnswer(w, []map[string]any{
			vykFund(91, "ORN", "SYF", "Y"), vykFund(91, "ORN", "SYF", "Y"), vykFund(92, "ORB", "BYF", "Y"), vykFund(93, "ORE", "EYF", "N"),
			vykFund(94, nil, "GYF", "Y"), vykFund(95, "OR5", "EYF", "Y"),
		})
	default:
		http.NotFound(w, r)
	}
}

func vykSecurity(code, group string, capital any, traded bool) map[string]any {
	return map[string]any{"isin": "TRAXXXXXXXX0", "borsaKodu": code, "tertipGroup": group, "capital": capital, "currentCapital": capital,
		"borsadaIslemeAcik": traded}
}

func vykFund(id int, code any, kind, state string) map[string]any {
	return map[string]any{
		"fundId": id, "fundName": "ÖRNEK PORTFÖY BİRİNCİ FON", "fundCode": code, "fundType": kind, "fundClass": "HS", "fundExpiry": "VS",
		"fundState":     state,
		"fundCompanyId": "778", "fundCompanyTitle": "ÖRNEK PORTFÖY YÖNETİMİ A.Ş.",
	}
}

// vykProfiles are the details of companies.
var vykProfiles = map[string][]map[string]any{
	"777": {
		vykField("acc1_merkez_adresi", "İstanbul"), vykField("acc1_int_addres", "www.ornek.example"),
		vykField("acc2_bdk", "ÖRNEK DENETİM A.Ş."), vykField("acc2_sektor", "İMALAT"),
		vykField("acc2_faaliyet_konu", "her şey"), vykField("acc4_ticaret_sicil_numarasi", "123456"),
		vykField("acc4_tescil_tarihi", "05/01/1970"),
		vykField("acc5_odenmis_sermaye", "1.250.000.000"), vykField("acc5_kayitli_sermaye_tavani", nil),
		vykField("acc5_fiili_dolasimdaki_pay",
			[]map[string]any{{"isin": "ORNKA", "actualSharesOutstanding": "431.375.000,50", "actualOutstandingSharesRatio": "34,51",
				"creationDate": "02/06/2021 00:00:00"}}),
		vykField("acc5_sermayede_dogrudan", []map[string]any{
			{"shareholder": "ÖRNEK HOLDİNG", "shareInCapital": "625.000.000", "monetaryUnit": vykCoded("TRY"), "ratioInCapital": "50,00",
				"votingRightRatio": "61,2"},
			{"shareholder": "DİĞER", "shareInCapital": "625.000.000", "ratioInCapital": "50,00", "votingRightRatio": ""},
			{"shareholder": "TOPLAM", "shareInCapital": "1.250.000.000", "ratioInCapital": "100,00"},
		}),
		vykField("acc5_sermayeyi_temsil_eden", []map[string]any{
			{"shareGroup": "A", "nominalValuePerShare": "0,01", "nominalValueOfShares": "125.000.000", "ratioToTotalCapital": "10",
				"typeOfPrivilege": "Oy", "exchangeTradedOrNot": vykCoded("Hayır")},
			{"shareGroup": "B", "nominalValuePerShare": "0,01", "nominalValueOfShares": "1.125.000.000", "ratioToTotalCapital": "90",
				"typeOfPrivilege": "-"},
			{"shareGroup": "TOPLAM", "nominalValueOfShares": "1.250.000.000"},
		}),
		vykField("acc6_yonetim_kurulu_uyeleri", []map[string]any{
			{"nameSurname": "A. ÖRNEK", "gender": vykCoded("Kadın"), "title": vykCoded("Başkan"), "firstChosenDate": "01/04/2024",
				"independentBoardMemberOrNot": vykCoded("Bağımsız Üye Değil"), "tcknYknVkn": VYKPersonal},
			{"nameSurname": "B. ÖRNEK", "title": vykCoded("Üye"), "firstChosenDate": nil,
				"independentBoardMemberOrNot": vykCoded("Bağımsız Üye")},
		}),
		vykField("acc6_yonetimde_soz_sahibi", map[string]any{"nameSurname": "C. ÖRNEK", "title": "Genel Müdür",
			"profession": vykCoded(VYKPersonal)}),
	},
	"779": {
		vykField("acc2_sektor", map[string]any{"key": "1", "text": "HOLDİNG"}), vykField("acc5_odenmis_sermaye", "12.5"),
		vykField("acc5_sermayede_dogrudan", ""),
		vykField("acc5_sermayeyi_temsil_eden", []map[string]any{}), vykField("acc6_yonetim_kurulu_uyeleri", "yok"),
	},
}

// VYKPersonal is what the details say of people that must not be kept.
const VYKPersonal = "12345678901"

func vykField(key string, value any) map[string]any {
	published := "01/02/2021 10:11:12"
	if strings.HasPrefix(key, "acc6_") {
		published = "03/05/2021 09:00:00"
	}
	return map[string]any{"nameTr": key, "nameEn": key, "key": "kpy41_" + key, "publishDateTime": published, "value": value}
}

func vykCoded(text string) map[string]any { return map[string]any{"key": "1", "text": text} }
