/** What an agent does for `agent install`, which puts another version in its place. */
import { expect, test } from 'vitest'
import { Agent } from '../../../src/agent/loop/agent.ts'
import { DEFAULT_OPTIONS } from '../../../src/agent/options.ts'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const JOURNAL = '/var/lib/nodewave/journal.jsonl'

function startOn(machine: Machine) {
  const { ports } = machine.host.process(machine.node, { log: { info: () => {}, warn: () => {} } })
  const made: number[] = []
  const contact = { made: async () => void made.push(machine.clock.elapsed()) }
  const agent = new Agent({ ...ports, contact }, DEFAULT_OPTIONS)
  void agent.run(new AbortController().signal)
  return { agent, made }
}

const upgrade = (machine: Machine, version: string) =>
  machine.assign({ version, host: JSON.stringify({ kubelet: machine.release(version) }) })

test('an agent that is asked to leave finishes its change first, and begins no other', async () => {
  const machine = new Machine()
  const { agent } = startOn(machine)
  const digest = upgrade(machine, '1.36.3')
  await machine.clock.runUntil(() => machine.host.files.snapshot()[JOURNAL] !== undefined)
  let hasLeft = false
  void agent.leave().then(() => {
    hasLeft = true
  })
  expect(hasLeft).toBe(false)
  await machine.clock.runUntil(() => hasLeft)
  expect(machine.host.files.snapshot()[JOURNAL]).toBeUndefined()

  upgrade(machine, '1.36.4')
  await machine.clock.advance(30 * MINUTE)
  expect(machine.host.files.snapshot()['/var/lib/nodewave/meta/active']).toContain(digest)
})

test('an agent shows once that it has reached its Node', async () => {
  const machine = new Machine()
  machine.host.faults.network = 'lost'
  const { made } = startOn(machine)
  await machine.clock.advance(2 * MINUTE)
  expect(made).toEqual([])
  machine.host.faults.network = undefined
  await machine.clock.advance(10 * MINUTE)
  expect(made).toHaveLength(1)
})

test('an agent does not show that it has reached its Node while its report is refused', async () => {
  const machine = new Machine()
  machine.start()
  upgrade(machine, '1.36.3')
  await machine.until('Applied')
  machine.kill()
  machine.node.write('nodewave.io/status', null)
  const { annotate } = machine.node
  machine.node.annotate = () => Promise.reject(new Error('403'))
  const { made } = startOn(machine)
  await machine.clock.advance(2 * MINUTE)
  expect(made).toEqual([])
  machine.node.annotate = annotate.bind(machine.node)
  await machine.clock.advance(2 * MINUTE)
  expect(made).toHaveLength(1)
})
