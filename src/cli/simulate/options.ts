import { InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import { duration } from '../../repo/schema/common.ts'
import { type AgentTimes, DEFAULT_TIMES } from '../../simulate/agent-times.ts'
import type { ChangeOptions } from '../change.ts'
import { unknownName } from '../unknown-name.ts'

/** What `nodewave simulate` is asked for. Times are milliseconds. */
export interface SimulateOptions extends ChangeOptions {
  readonly at?: number
  readonly within: number
  readonly fail: readonly string[]
  readonly slow: ReadonlyMap<string, number>
  readonly restartTime: number
  readonly downloadTime: number
  readonly rebootTime: number
  readonly podStopTime: number
  readonly podStartTime: number
  readonly pods?: string
  readonly output: 'text' | 'json' | 'yaml'
}

export const DAY = 24 * 60 * 60_000

export function timesOf({ restartTime, downloadTime, rebootTime, podStopTime, podStartTime, slow }: SimulateOptions): AgentTimes {
  const { byDisruption } = DEFAULT_TIMES
  return {
    byDisruption: { none: byDisruption.none, restart: restartTime, drain: restartTime, reboot: rebootTime },
    download: downloadTime,
    podStop: podStopTime,
    podStart: podStartTime,
    slow,
  }
}

/** @throws {Error} for a fault that was ordered of a node that is not there: without it the answer would look better than it is */
export function checkNames({ fail, slow }: SimulateOptions, nodes: readonly { readonly name: string }[]): void {
  const known = new Set(nodes.map(({ name }) => name))
  for (const [option, names] of [
    ['--fail', fail],
    ['--slow', [...slow.keys()]],
  ] as const) {
    const missing = names.find((name) => !known.has(name))
    if (missing !== undefined) throw new Error(`${option}: ${unknownName('node', missing, known)}`)
  }
}

export function time(flag: string, description: string, value: number): Option {
  return new Option(`${flag} <duration>`, description).argParser(timeSpan).default(value, `${value / 1000}s`)
}

export function timeSpan(text: string): number {
  const result = duration.safeParse(text)
  if (!result.success) throw new InvalidArgumentError('expected a duration such as 45s, 10m or 1h30m')
  return result.data
}

export function instant(text: string): number {
  const result = z.iso.datetime({ offset: true }).safeParse(text)
  if (!result.success) throw new InvalidArgumentError('expected a time such as 2026-11-21T22:00:00Z')
  return Date.parse(result.data)
}

export function factors(text: string, before: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const [, node = '', times = ''] = /^([^=]+)=(\d+(?:\.\d+)?)$/.exec(text) ?? []
  if (node === '') throw new InvalidArgumentError('expected a node and a factor, such as worker-3=5')
  return new Map([...before, [node, Number(times)]])
}
