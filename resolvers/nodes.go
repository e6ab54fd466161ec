package resolvers

import (
	"context"
	"strconv"
	"strings"

	"piyasa/account/access"
	"piyasa/domain/kap"
	"piyasa/domain/market"
	"piyasa/domain/news"
	"piyasa/internal/value"
)

func (q query) Node(ctx context.Context, id string) (value.Node, error) {
	found, err := q.Nodes(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Nodes asks each kind of object once for all of its ids.
func (q query) Nodes(ctx context.Context, ids []string) ([]value.Node, error) {
	if err := access.Enter(ctx); err != nil {
		return nil, err
	}
	if err := market.CheckIDs(ids, market.MaxIDs); err != nil {
		return nil, err
	}
	disclosures, articles, err := q.storedNodes(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make([]value.Node, len(ids))
	for i, id := range ids {
		kind, key, _ := strings.Cut(id, ":")
		switch number, isNumber := numberOf(key); {
		case kind == "disclosure":
			found[i] = nodeOr(disclosures[number])
		case kind == "news":
			found[i] = nodeOr(articles[key])
		case kind == "company":
			found[i], err = nodeOf(q.services.KAP.CompanyByID(ctx, key))
		case kind == "sector":
			found[i], err = nodeOf(q.services.Market.SectorByCode(ctx, key))
		case kind == "bist-index":
			found[i], err = nodeOf(q.services.Market.IndexByCode(ctx, key))
		case kind == "event" && isNumber:
			found[i], err = nodeOf(q.services.Macro.EventByID(ctx, number))
		default:
			found[i], err = nodeOf(q.services.Market.InstrumentByID(ctx, id))
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// storedNodes reads the objects that are only in the store.
func (q query) storedNodes(ctx context.Context, ids []string) (disclosures map[int]*kap.Disclosure,
	articles map[string]*news.Item, err error) {
	var numbers []int
	var named []string
	for _, id := range ids {
		if key, ok := strings.CutPrefix(id, "disclosure:"); ok {
			if number, ok := numberOf(key); ok {
				numbers = append(numbers, number)
			}
		} else if key, ok := strings.CutPrefix(id, "news:"); ok {
			named = append(named, key)
		}
	}
	if len(numbers) > 0 {
		if disclosures, err = q.services.KAP.DisclosuresByNumber(ctx, numbers); err != nil {
			return nil, nil, err
		}
	}
	if len(named) > 0 {
		articles, err = q.services.News.ItemsByID(ctx, named)
	}
	return disclosures, articles, err
}

// numberOf reads a number as ids write it; for any other text it returns -1 and false.
func numberOf(text string) (int, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return -1, false
	}
	return int(n), true
}

// nodeOf returns an object as a node; nil stays nil.
func nodeOf[T any, P interface {
	*T
	value.Node
}](of P, err error) (value.Node, error) {
	return nodeOr(of), err
}

func nodeOr[T any, P interface {
	*T
	value.Node
}](of P) value.Node {
	if of == nil {
		return nil
	}
	return of
}
