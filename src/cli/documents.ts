import { stringify } from 'yaml'

/** What programs read; in every command that prints. */
export type DocumentFormat = 'json' | 'yaml'

/** The value as a document of its own, with a line break at its end. Equal parts are written out each time: not every reader knows aliases. */
export function asDocument(value: unknown, format: DocumentFormat): string {
  // By way of JSON, so that both say the same: no undefined, dates as text.
  const json = JSON.stringify(value, null, 2)
  return format === 'json' ? `${json}\n` : stringify(JSON.parse(json), { aliasDuplicateObjects: false })
}
