package standin

// Example is what a configuration may say of a source that asks a stand-in.
type Example struct {
	Settings string            // beside the connector and its base, as members of a JSON object; empty: none
	Env      map[string]string // the credentials that the settings name, as the stand-in expects them
}

// Examples are by the name of the connector. One that needs no settings may be missing.
var Examples = map[string]Example{
	"ecb":  {Settings: `{"currencies": ["USD", "GBP", "CHF", "JPY", "HUF"]}`},
	"tcmb": {Settings: `{"currencies": ["USD", "EUR", "GBP", "JPY", "RON", "XDR"]}`},
}
