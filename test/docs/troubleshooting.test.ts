import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  API_SERVER_AWAY,
  API_SERVER_LOST,
  CHANGED_BY_OTHERS,
  NOT_REBOOTED,
  REBOOT_REFUSED,
  REBOOTING,
} from '../../src/protocol/agent-status.ts'
import { NODE_PHASES } from '../../src/protocol/node-pool.ts'
import { OPERATOR_EVENTS } from '../../src/rollout/status/control-events.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8')

/** Code in the first column of the table below a heading. */
function namedIn(heading: string): string[] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  const cells = section.split('\n').flatMap((line) => /^\| (.*?) \| /.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
}

function reasonsIn(pattern: string): string[] {
  const texts = globSync(pattern, { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const found = texts.flatMap((text) =>
    [...text.matchAll(/(?:reason: |_[A-Z]+ = )'([A-Z]\w*[a-z]\w*)'/g)].map(([, name = '']) => name),
  )
  return [...new Set(found)].sort()
}

test('the page on troubleshooting has every reason of a pool', () => {
  const [, union = ''] =
    /export type PoolReason =([\s\S]*?)\n\n/.exec(readFileSync(join(ROOT, 'src/protocol/node-pool.ts'), 'utf8')) ?? []
  const reasons = [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => reason)
  expect(namedIn('Reasons of a pool').toSorted()).toEqual(reasons.toSorted())
})

test('the page on troubleshooting has every phase of a node', () => {
  expect(namedIn('Phases of a node')).toEqual([...NODE_PHASES])
})

test('the page on troubleshooting has every reason that an agent gives', () => {
  const ofProtocol = [API_SERVER_AWAY, API_SERVER_LOST, CHANGED_BY_OTHERS, REBOOTING, REBOOT_REFUSED, NOT_REBOOTED]
  const given = [...new Set([...reasonsIn('src/agent/**/*.ts'), ...ofProtocol])].sort()
  expect(given.filter((reason) => !namedIn('Errors of an agent').includes(reason))).toEqual([])
})

test('the page on troubleshooting has every event of a pool', () => {
  const told = [
    'src/rollout/status/pool-events.ts',
    'src/controller/events/object-events.ts',
    'src/controller/revert/revert-proposer.ts',
  ]
  const events = told.flatMap(reasonsIn).filter((reason) => !namedIn('Events at a Node\n').includes(reason))
  const actions = Object.entries(OPERATOR_EVENTS).flatMap(([action, reason]) => [reason, `${action}Refused`])
  expect([...events, ...actions].filter((reason) => !namedIn('Events at a NodePool').includes(reason))).toEqual([])
  expect(events).toContain('RolloutHalted')
})

test('the page on troubleshooting has every failure that the controller finds', () => {
  const found = reasonsIn('src/rollout/model/node-progress.ts')
  expect(found.filter((reason) => !namedIn('Failures that the controller finds').includes(reason))).toEqual([])
})
