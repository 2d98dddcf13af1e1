import type { SentNotification } from './notification.ts'

export const TEMPLATE_FIELDS = [
  ...['reason', 'severity', 'place', 'pool', 'cluster', 'time', 'message'],
  ...['commit', 'subject', 'author', 'current', 'total'],
] as const
type Field = (typeof TEMPLATE_FIELDS)[number]

export const DEFAULT_TEMPLATE = '{{reason}} in {{place}}: {{message}}'

const PLACEHOLDER = /\{\{ {0,3}([a-z]{1,20}) {0,3}\}\}/g
const DIGITS = 7

/** @returns what is no field, so that a mistake is found before there is something to tell */
export function unknownFields(template: string): readonly string[] {
  const known: ReadonlySet<string> = new Set(TEMPLATE_FIELDS)
  return [...template.matchAll(PLACEHOLDER)].map(([, field = '']) => field).filter((field) => !known.has(field))
}

/** @param escaped applied to each value: commits and nodes bring texts of others */
export function fillTemplate(
  template: string,
  notification: Omit<SentNotification, 'text'>,
  escaped: (value: string) => string = (value) => value,
): string {
  return template.replace(PLACEHOLDER, (_, field: Field) => escaped(fieldOf(field, notification)))
}

function fieldOf(field: Field, notification: Omit<SentNotification, 'text'>): string {
  const { pool, cluster, revision, nodes } = notification
  switch (field) {
    case 'place':
      return cluster === undefined ? `pool ${pool}` : `pool ${pool} of ${cluster}`
    case 'commit':
      return revision?.slice(0, DIGITS) ?? ''
    case 'current':
    case 'total':
      return String(nodes[field])
    default:
      return notification[field] ?? ''
  }
}
