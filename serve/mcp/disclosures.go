package mcp

import (
	"context"

	"github.com/vektah/gqlparser/v2/ast"

	"piyasa/internal/problem"
)

const disclosureFields = `disclosure_index: disclosureIndex type symbols filer_title: filerTitle published_at: publishedAt reason related_index: relatedIndex
    subject { tr en } summary { tr en } link attachment_count: attachmentCount year period consolidation`

const disclosuresQuery = `query ($symbols: [String!], $q: String, $type: DisclosureType, $from: DateOrDateTime, $to: DateOrDateTime, $cursor: String, $limit: Int) {
  page: disclosures(symbols: $symbols, q: $q, type: $type, from: $from, to: $to, cursor: $cursor, limit: $limit) {
    disclosures: items { ` + disclosureFields + ` } count next_cursor: nextCursor
  }
}`

const disclosureQuery = `query ($index: Int!) {
  disclosure(index: $index) { ` + disclosureFields + `
    attachments { name content_type: contentType size_bytes: sizeBytes url expires_at: expiresAt }
    has_body: hasBody body_format: bodyFormat body { fields_status: fieldsStatus fields { label { tr en } value { tr en } group row } }
  }
}`

func (h *Handler) disclosures(ctx context.Context, in arguments) (string, error) {
	const path = "/v1/kap-feed/disclosures"
	if _, one := in["index"]; one {
		if others := in.variables("symbols", "q", "type", "from", "to", "cursor"); len(others) > 0 {
			return "", problem.New(problem.ConflictingParameters,
				"index names one disclosure; leave out symbols, q, type, from, to and cursor, or index.")
		}
		data, failed, err := h.askWhatMayFail(ctx, disclosureQuery, in.variables("index"))
		if err != nil {
			return "", err
		}
		one := data.get("disclosure")
		for _, e := range failed {
			if len(e.Path) < 2 || e.Path[1] != ast.PathName("body") {
				return "", refusal(failed)
			}
			one.members = append(one.members, member{"body_reason", textNode(e.Message)}) // the rest was answered
		}
		of := path + "/" + string(wholeNode(in.number("index")).scalar)
		return fit(one, "All of it, with the header X-API-Key: "+h.address(of)+" and "+h.address(of+"/body"))
	}
	data, err := h.ask(ctx, disclosuresQuery, in.variables("symbols", "q", "type", "from", "to", "cursor", "limit"))
	if err != nil {
		return "", err
	}
	page := data.get("page")
	if len(page.get("disclosures").items) == 0 {
		page.members = append(page.members, member{"hint",
			textNode("No stored disclosure passes these filters; a code may be unknown: search_instruments, or the field " +
				"company of graphql.")})
	}
	return fit(page, "Ask for a lower limit and follow next_cursor, or for one by index. Over REST, with the header X-API-Key: "+
		h.address(path))
}
