package demo

import (
	"strconv"

	"piyasa/web"
)

// GraphiQL opens the page with the key and queries to begin with.
func GraphiQL() web.Settings {
	return web.Settings{Key: string(Secret), Tabs: []web.Tab{
		{Title: "MarketStatus", Query: marketStatusQuery},
		{Title: "Quote", Query: quoteQuery, Variables: `{ "id": "` + string(Sample) + `" }`},
		{Title: "Watchlist", Query: watchlistQuery, Variables: watchlistVariables},
		{Title: "Movers", Query: moversQuery},
		{Title: "CatalogSearch", Query: catalogSearchQuery, Variables: `{ "text": "IŞIK" }`},
		{Title: "CrossRate", Query: crossRateQuery, Variables: `{ "id": "cmdty:PALM" }`},
		{Title: "Chart", Query: chartQuery, Variables: chartVariables},
		{Title: "Fundamentals", Query: fundamentalsQuery, Variables: fundamentalsVariables},
		{Title: "Analytics", Query: analyticsQuery, Variables: `{ "id": "` + string(Sample) + `", "sector": "otomotiv" }`},
		{Title: "Economy", Query: economyQuery},
		{Title: "FundsAndIPOs", Query: fundsQuery, Variables: `{ "fund": "DMF", "stock": "` + string(Sample) + `", "offering": "dmdep" }`},
		{Title: "Graph", Query: graphQuery, Variables: `{ "ids": ["bist:DMOST", "bist:DMBNK", "bist:DMPET"] }`},
		{Title: "Disclosures", Query: disclosuresQuery, Variables: `{ "index": ` + strconv.Itoa(sampleDisclosure) + ` }`},
	}}
}

const marketStatusQuery = `# Does the Istanbul exchange trade now?
{
  marketStatus {
    state
    session {
      timezone
      open
      close
    }
    tradingDay
    nextOpenAt
    asOf
  }
}
`

const quoteQuery = `# Run it again: prices move while their market
# trades.
query ($id: ID!) {
  quote(id: $id) {
    last
    change
    changePct
    currency
    bid
    ask
    volume
    turnover
    asOf
    instrument {
      name
      sector
      source
    }
  }
}
`

const watchlistQuery = `# Several markets side by side, in lira.
# Index levels are points and stay as they are.
query ($ids: [ID!]!) {
  watchlist(ids: $ids) {
    instrumentId
    name
    market
    currency
    quote(currency: TRY) {
      last
      currency
      changePct
      fxRate
      asOf
    }
  }
}
`

// An alias of an ETF and a ticker of a coin stand for their ids.
const watchlistVariables = `{
  "ids": [
    "bist:DMBNK", "bist:DMALT", "crypto:DMC", "fx:EURTRY",
    "index:DMUS500", "cmdty:XAU", "us:DMX", "fund:DMX"
  ]
}`

const moversQuery = `# The trading day in three rankings.
{
  movers(limit: 5) {
    asOf
    count
    gainers {
      ...row
    }
    losers {
      ...row
    }
    mostTraded {
      ...row
      turnover
    }
  }
}

fragment row on Mover {
  rank
  symbol
  name
  last
  changePct
}
`

const catalogSearchQuery = `# Case and Turkish letters do not matter:
# IŞIK, ışık and isik find the same.
query ($text: String!) {
  instruments(search: $text) {
    count
    instruments {
      instrumentId
      name
      assetType
      sector
    }
    marketSizes {
      market
      size
    }
  }
}
`

const crossRateQuery = `# From ringgit to euro no pair leads directly:
# the rate goes through the dollar.
query ($id: ID!) {
  original: quote(id: $id) {
    last
    currency
  }
  converted: quote(id: $id, currency: EUR) {
    last
    currency
    fxRate
    fxAsOf
  }
}
`

const chartQuery = `# A year of closes side by side, in dollars.
# Each is converted at the rate of its own day.
query ($ids: [ID!]!) {
  watchlist(ids: $ids) {
    name
    candles(currency: USD) {
      currency
      count
      columns {
        t
        close
      }
    }
  }
}
`

const chartVariables = `{ "ids": ["bist:DMOST", "cmdty:PALM", "fund:DMF"] }`

const fundamentalsQuery = `# A company, a bank and an insurer: what they are
# worth and what that was made of, their last
# twelve months, and the median of their sectors.
# A figure that cannot be stated is null, with
# the reason beside it.
query ($ids: [ID!]!) {
  watchlist(ids: $ids) {
    name
    valuation {
      dataDate
      marketCap {
        value
        category
      }
      peRatio {
        ...metric
      }
      pbRatio {
        ...metric
        inputs {
          name
          value
        }
        note
      }
      evEbitda {
        ...metric
        sourcePeriod
      }
    }
    financials(timeframe: TTM, limit: 4) {
      periods {
        fiscalYear
        fiscalPeriod
        formula
        sourcePeriods
        nullReason
        items {
          code
          labelTr
          value
        }
      }
    }
    dividends(first: 3) {
      exDate
      grossPerShare
      installment
      status
    }
    sectorInfo {
      name
      valuation {
        peRatio {
          median
          membersCounted
        }
        pbRatio {
          median
          membersCounted
        }
      }
    }
  }
}

fragment metric on Metric {
  value
  nullReason
}
`

const fundamentalsVariables = `{ "ids": ["bist:DMOST", "bist:DMBNK", "bist:DMSIG"] }`

const analyticsQuery = `# Indicators and windows of a stock, of the
# exchange's largest, and the return of its
# sector: 100 on the first day, each member
# alike.
query ($id: ID!, $sector: String!) {
  indicators(id: $id) {
    asOf
    values {
      indicator
      component
      period
      value
    }
  }
  periodic(id: $id) {
    windows {
      ...change
    }
  }
  indexPeriodic(code: "XD030") {
    name
    windows {
      ...change
    }
  }
  sectorPeriodic(code: $sector) {
    name
    windows {
      ...change
    }
  }
  sectorReturns(code: $sector) {
    baseDate
    points {
      date
      value
    }
  }
}

fragment change on PeriodicWindow {
  window
  startDate
  startPrice
  endPrice
  changePct
}
`

const economyQuery = `# What the week brings, with how each event came
# out before, producer prices, and who is in the
# indices at what price. Run it again in half an
# hour: a figure of the calendar comes out.
{
  calendar {
    fromDate
    toDate
    items {
      time
      name
      country {
        name
      }
      importance
      actual
      forecast
      previous
      unit
      event {
        isSpeaking
        items(first: 2) {
          time
          actual
        }
      }
    }
  }
  producerPriceIndex(limit: 24) {
    name
    unit
    points {
      month
      value
    }
  }
  indices {
    indices {
      code
      name
      memberCount
      constituents(first: 10) {
        instrument {
          instrumentId
          name
          quote {
            last
            changePct
          }
        }
      }
    }
  }
}
`

const fundsQuery = `# The funds of the year, what moved into one of
# them, who holds a stock, and public offerings:
# those to come, those that are open, those that
# trade.
query ($fund: String!, $stock: ID!, $offering: ID!) {
  fundRanking(period: Y1) {
    items {
      rank
      code
      name
      returnPct
      instrument {
        quote {
          last
        }
      }
    }
  }
  fundProfile(code: $fund) {
    name
    founder
    price
    portfolioSize
    investorCount
    riskLevel
    instrument {
      logoUrl
    }
  }
  fundInvestorFlows(code: $fund) {
    fromDate
    toDate
    summary {
      netFlow
      inflow
      outflow
      days
    }
    points {
      date
      netFlow
      investorCount
    }
  }
  fundHolders(id: $stock) {
    holders {
      name
      weightPct
      marketValue
      reportMonth
    }
  }
  ipos {
    ipos {
      company
      state
      price
      priceLow
      priceHigh
      demandStart
      demandEnd
      firstTradeDate
      instrument {
        instrumentId
        sector
      }
    }
  }
  ipo(id: $offering) {
    company
    useOfProceeds
    documents {
      name
      url
      expiresAt
    }
  }
}
`

const graphQuery = `# All that leads on from a watchlist, in one
# answer: each edge is read once for all of them,
# however many they are.
query ($ids: [ID!]!) {
  watchlist(ids: $ids) {
    instrumentId
    name
    company {
      identity {
        title
      }
      disclosures(first: 3) {
        publishedAt
        subject {
          tr
        }
        detail {
          reason
          summary {
            tr
          }
        }
      }
    }
    sectorInfo {
      name
      members(first: 3) {
        symbol
        instrument {
          quote {
            last
          }
        }
      }
    }
    indices {
      code
      periodic {
        windows {
          window
          changePct
        }
      }
    }
    holders(first: 5) {
      name
      weightPct
      instrument {
        quote {
          last
        }
      }
    }
    logo {
      url
      etag
    }
  }
}
`

const disclosuresQuery = `# What companies disclosed, newest first, and
# what one of them says. Run it again: about once
# a minute there is a new one.
query ($index: Int!) {
  disclosures(limit: 10) {
    items {
      disclosureIndex
      type
      reason
      relatedIndex
      filerTitle
      publishedAt
      subject {
        tr
        en
      }
    }
    nextCursor
  }
  disclosure(index: $index) {
    symbols
    summary {
      en
    }
    body {
      fields {
        label {
          en
        }
        value {
          tr
        }
      }
    }
  }
}
`
