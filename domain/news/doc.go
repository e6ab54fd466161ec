// Package news is the news product: machine summaries of news about listed
// companies, each with a mood. It is not the official disclosure feed.
package news
