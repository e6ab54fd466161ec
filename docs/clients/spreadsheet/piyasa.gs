// Google Sheets: paste this into Extensions, Apps Script, and write =PIYASA("/v1/eod/bist:DMOST?from=2026-03-01") into a cell. The key
// stays out of the sheet: set the script properties PIYASA_KEY and PIYASA_URL (an address that Google can reach).
/* exported PIYASA */

/**
 * The CSV of a route as cells. Figures stay text, as exact as they were sent; VALUE() makes a number of one.
 * @param {string} path path and parameters
 * @return {string[][]} the header and the rows
 * @customfunction
 */
function PIYASA(path) {
  const settings = PropertiesService.getScriptProperties();
  const answer = UrlFetchApp.fetch(settings.getProperty('PIYASA_URL') + path, {
    headers: { 'X-API-Key': settings.getProperty('PIYASA_KEY'), Accept: 'text/csv' },
    muteHttpExceptions: true,
  });
  const text = answer.getContentText();
  if (answer.getResponseCode() !== 200) throw new Error(JSON.parse(text).detail);
  return Utilities.parseCsv(text);
}
