import type { ControlRecord, NodePoolStatus, OperatorAction } from '../../protocol/node-pool.ts'
import { nameList } from '../paint.ts'
import type { PoolStatusView } from './pool-view.ts'

/** What people have set and what it means now, with who and when; not what the pool's condition says anyway. */
export function controlLines({ name, status, controls = {} }: PoolStatusView, said: string): string[] {
  const { observedControls = {}, rollback } = status
  const fleet =
    observedControls.fleetPaused === undefined
      ? []
      : [`the whole fleet is paused${signed(status, 'PauseFleet')}${reason(observedControls.fleetPaused)}`]
  const own = controls.paused === undefined ? [] : [`paused${signed(status, 'Pause')}${reason(controls.paused)}`]
  const back = rollback
    ? [`rolled back to ${rollback.to.revision.slice(0, 7)}${by(rollback)}; end it with: nodewave resume ${name}`]
    : []
  const asked = controls.rollback !== undefined && controls.rollback !== observedControls.rollback ? ['rollback requested'] : []
  return [...fleet, ...own, ...back, ...asked].filter((line) => !said.includes(line.split(';')[0] ?? line))
}

export function heldLines({ status: { held = [] } }: PoolStatusView): string[] {
  const known = held.map(({ node, reason: why, who }) => `${node} (${who === undefined ? '' : `${who}: `}${why})`)
  return known.length === 0 ? [] : [`held: ${nameList(known, 5)}`]
}

/** Nodes that have to reboot: `to reboot: n1 (Rebooting since …: new firmware)`. */
export function rebootLines({ status: { reboots = [] } }: PoolStatusView): string[] {
  const known = reboots.map(({ node, state, since, because }) => {
    return `${node} (${state}${since === undefined ? '' : ` since ${since}`}${reason(because)})`
  })
  return known.length === 0 ? [] : [`to reboot: ${nameList(known, 5)}`]
}

function signed({ controls = [] }: Partial<NodePoolStatus>, what: OperatorAction): string {
  const record = controls.find((known) => known.action === what)
  return record ? by(record) : ''
}

function by({ who, at }: Pick<ControlRecord, 'who' | 'at'> | { readonly who?: string; readonly at: string }): string {
  return who === undefined ? '' : ` by ${who} at ${at}`
}

function reason(text: string): string {
  return text === '' ? '' : `: ${text}`
}
