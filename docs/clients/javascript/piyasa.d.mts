/** What was refused. */
export class PiyasaError extends Error {
    /**
     * @param {number} status of HTTP
     * @param {Record<string, any>} problem what the server said
     */
    constructor(status: number, problem: Record<string, any>);
    status: number;
    problem: Record<string, any>;
    /** The kind of problem, such as not-found. */
    kind: string;
}
export class Piyasa {
    /**
     * @param {string} url
     * @param {string} key
     * @param {{ timeout?: number, attempts?: number }} [options] milliseconds to wait for an answer, and how often to ask
     */
    constructor(url: string, key: string, { timeout, attempts }?: {
        timeout?: number;
        attempts?: number;
    });
    url: string;
    key: string;
    timeout: number;
    attempts: number;
    /**
     * The JSON of a route, such as get('/v1/quotes', { ids: 'bist:DMOST' }).
     * @param {string} path
     * @param {Parameters} [parameters]
     * @returns {Promise<any>}
     */
    get(path: string, parameters?: Parameters): Promise<any>;
    /**
     * The data of a query. Errors of it reject.
     * @param {string} query
     * @param {Record<string, unknown>} [variables]
     * @returns {Promise<any>}
     */
    graphql(query: string, variables?: Record<string, unknown>): Promise<any>;
    /**
     * The newest prices, one row for each id that has one.
     * @param {readonly string[]} ids
     * @param {Parameters} [parameters] such as currency
     * @returns {Promise<Row[]>}
     */
    quotes(ids: readonly string[], parameters?: Parameters): Promise<Row[]>;
    /**
     * Bars of 5m, 2h, 1d, 1w or 1mo.
     * @param {string} id
     * @param {Parameters} [parameters] such as resolution, from, to and currency
     * @returns {Promise<Row[]>}
     */
    candles(id: string, parameters?: Parameters): Promise<Row[]>;
    /**
     * Daily records.
     * @param {string} id
     * @param {Parameters} [parameters] such as from, to and currency
     * @returns {Promise<Row[]>}
     */
    eod(id: string, parameters?: Parameters): Promise<Row[]>;
    /**
     * Yields [position, disclosure] for ever, without loss: store the position when you are done with the disclosure, and
     * pass it when you start again. Without one, it begins with what is stored from now on, with 0 with everything.
     * @param {readonly string[]} [topics]
     * @param {{ position?: string | number, reconnects?: number, signal?: AbortSignal }} [options] reconnects: how often a
     *   connection that is lost is replaced before an error is thrown; by default always
     * @returns {AsyncGenerator<[string | number | undefined, Row], void, void>}
     */
    followDisclosures(topics?: readonly string[], { position, reconnects, signal }?: {
        position?: string | number;
        reconnects?: number;
        signal?: AbortSignal;
    }): AsyncGenerator<[string | number | undefined, Row], void, void>;
    #private;
}
export type Row = Record<string, any>;
/**
 * those that are null are left out
 */
export type Parameters = Record<string, string | number | boolean | readonly string[] | null | undefined>;
