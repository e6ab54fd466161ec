package access

// Unit is the cost of one answer, in request units.
const Unit = 1

// rowsPerUnit is how many rows of a list over all instruments cost one unit.
const rowsPerUnit = 100

// RowUnits returns the request units that a list of so many rows costs.
func RowUnits(rows int) int { return max(1, (rows+rowsPerUnit-1)/rowsPerUnit) * Unit }

// Basic costs of work, in fields of an answer.
const (
	BaseCost    = 300          // the least that a request costs; Take takes it
	RequestCost = 2 * BaseCost // of every request: to read, check and answer it
	AskingCost  = 1_600        // to ask the store, once for each place of a document
)
