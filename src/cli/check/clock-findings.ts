import { type Finding, ok, warned } from '../../agent/doctor/finding.ts'
import { counted, nameList } from '../paint.ts'
import type { CheckedNode } from './cluster-facts.ts'

/** Milliseconds. Times of the API server are whole seconds, and a heartbeat is on its way for a while. */
const TOLERANCE = 30_000
const MOST_NODES = 5

export interface Clocks {
  /** Of the API server. */
  readonly server: number
  /** Of this machine, at the same moment. */
  readonly own: number
  readonly nodes: readonly CheckedNode[]
}

/** Whose clocks differ from that of the API server. */
export function clockFindings({ server, own, nodes }: Clocks): Finding[] {
  const told = nodes.filter(({ clockAhead }) => clockAhead !== undefined)
  const wrong = told.filter(({ clockAhead = 0 }) => differs(clockAhead))
  const isOwnWrong = differs(own - server)
  if (!isOwnWrong && wrong.length === 0) {
    const kubelets = told.length === 0 ? '' : ` and ${counted(told.length, 'node')}`
    return [ok('clocks', `this machine${kubelets}: at most ${TOLERANCE / 1000} s from the API server`)]
  }
  return [...(isOwnWrong ? [ownClock(own - server)] : []), ...(wrong.length > 0 ? [nodeClocks(wrong)] : [])]
}

function differs(milliseconds: number): boolean {
  return Math.abs(milliseconds) > TOLERANCE
}

function ownClock(ahead: number): Finding {
  return warned('clocks', `that of this machine differs from the API server's: ${shown(ahead)}`, 'set the clock of either by NTP')
}

function nodeClocks(wrong: readonly CheckedNode[]): Finding {
  const furthestFirst = wrong.toSorted((one, other) => Math.abs(other.clockAhead ?? 0) - Math.abs(one.clockAhead ?? 0))
  const named = furthestFirst.map(({ name, clockAhead = 0 }) => `${name} (${shown(clockAhead)})`)
  return warned(
    'clocks',
    `those of ${counted(wrong.length, 'node')} differ from the API server's: ${nameList(named, MOST_NODES)}`,
    'timedatectl on the node; a HostProfile sets NTP servers: docs/host-profile.md#time',
  )
}

function shown(ahead: number): string {
  return `${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead' : 'behind'}`
}
