import type { ControlRecord } from '../protocol/node-pool.ts'
import { shortRevision } from '../protocol/revision-id.ts'
import { nameList } from './paint.ts'
import { printable } from './printable.ts'

/** `2026-11-21T08:00:00Z ada: Hold n1, n2 "disk"; excluded from rollouts` */
export function describeControl({ at, who = 'somebody', action, nodes, value, outcome, message }: ControlRecord): string {
  const about = nodes ? ` ${nameList(nodes)}` : ''
  const given = value === undefined ? '' : ` ${shown(value)}`
  return printable(`${at} ${who}: ${action}${about}${given}; ${outcome === 'Refused' ? 'refused: ' : ''}${message}`)
}

/** A commit as people name it; what people wrote themselves in quotes. */
function shown(value: string): string {
  if (/^[0-9a-f]{40}(?:\+[0-9a-f]{8})?$/.test(value)) return shortRevision(value, 7)
  return `"${value.length > 50 ? `${value.slice(0, 49)}…` : value}"`
}
