package ingest

// What the fuzzer and the benchmark of the decoder reach without a store.

// Decoder reads lines into records.
type Decoder = decoder

// NewDecoder returns a decoder.
var NewDecoder = newDecoder

// Decode reads one line.
func (d *decoder) Decode(line []byte) (kind string, record any, fault *Fault) {
	k, record, _, fault := d.decode(line)
	if k != nil {
		kind = k.name
	}
	return kind, record, fault
}
