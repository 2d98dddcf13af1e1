import type { ControlAct, ControlRecord, NodePoolStatus } from '../../protocol/node-pool.ts'
import { nameList } from '../paint.ts'
import type { PoolSight } from './pool-view.ts'

/** What people have set and what it means now, with who and when; not what the pool's condition says anyway. */
export function controlLines({ status, controls = {} }: PoolSight, said: string): string[] {
  const { heeded = {}, rollback } = status
  const fleet =
    heeded.fleetPaused === undefined
      ? []
      : [`the whole fleet is paused${signed(status, 'PauseFleet')}${reason(heeded.fleetPaused)}`]
  const own = controls.paused === undefined ? [] : [`paused${signed(status, 'Pause')}${reason(controls.paused)}`]
  const back = rollback ? [`rolled back to ${rollback.to.revision.slice(0, 7)}${by(rollback)}; nodewave resume ends that`] : []
  const asked = controls.rollback !== undefined && controls.rollback !== heeded.rollback ? ['a roll-back is asked for'] : []
  return [...fleet, ...own, ...back, ...asked].filter((line) => !said.includes(line.split(';')[0] ?? line))
}

export function heldLines({ status: { held = [] } }: PoolSight): string[] {
  const told = held.map(({ node, reason: why, who }) => `${node} (${who === undefined ? '' : `${who}: `}${why})`)
  return told.length === 0 ? [] : [`held: ${nameList(told, 5)}`]
}

function signed({ controls = [] }: Partial<NodePoolStatus>, what: ControlAct): string {
  const record = controls.find((told) => told.what === what)
  return record ? by(record) : ''
}

function by({ who, at }: Pick<ControlRecord, 'who' | 'at'> | { readonly who?: string; readonly at: string }): string {
  return who === undefined ? '' : ` by ${who} at ${at}`
}

function reason(text: string): string {
  return text === '' ? '' : `: ${text}`
}
