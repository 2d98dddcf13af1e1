import { expect, test } from 'vitest'
import { Agent } from '../../../src/agent/loop/agent.ts'
import { DEFAULT_OPTIONS } from '../../../src/agent/options.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'
import { MetricsFile, metricsText } from '../../../src/agent/state/metrics-file.ts'
import type { AgentStatus } from '../../../src/protocol/agent-status.ts'
import { Machine } from '../support/machine.ts'

const FILE = '/var/lib/node-exporter/nodewave.prom'
const STATUS: AgentStatus = { phase: 'Applied', since: '2026-11-22T09:00:00.500Z', agent: '1.2.3', revision: 'c0ffee' }

test('the metrics of an agent are what Prometheus reads', () => {
  expect(metricsText({ ...STATUS, drift: ['/etc/a', '/etc/b'], reboot: { boot: 'b', because: ['kernel'] } })).toBe(
    `# HELP nodewave_agent_info 1, with the version of the agent.
# TYPE nodewave_agent_info gauge
nodewave_agent_info{version="1.2.3"} 1
# HELP nodewave_agent_phase 1, with where the agent stands.
# TYPE nodewave_agent_phase gauge
nodewave_agent_phase{phase="Applied"} 1
# HELP nodewave_agent_phase_start_timestamp_seconds When the phase began.
# TYPE nodewave_agent_phase_start_timestamp_seconds gauge
nodewave_agent_phase_start_timestamp_seconds 1795338000.5
# HELP nodewave_agent_revision 1, with the commit that the phase speaks of.
# TYPE nodewave_agent_revision gauge
nodewave_agent_revision{revision="c0ffee"} 1
# HELP nodewave_agent_drifted_paths Paths that are not as they were applied.
# TYPE nodewave_agent_drifted_paths gauge
nodewave_agent_drifted_paths 2
# HELP nodewave_agent_reboot_needed 1 while the host has to reboot.
# TYPE nodewave_agent_reboot_needed gauge
nodewave_agent_reboot_needed 1
`,
  )
})

test('a revision that somebody wrote by hand makes no other series', () => {
  const lines = metricsText({ ...STATUS, revision: 'a"} 1\nb{c="\\' }).split('\n')
  expect(lines.filter((line) => line.startsWith('nodewave_agent_revision'))).toEqual([
    'nodewave_agent_revision{revision="a\\"} 1\\nb{c=\\"\\\\"} 1',
  ])
  expect(lines).toHaveLength(metricsText(STATUS).split('\n').length)
})

/** A directory whose writes end when they are told to. */
function aDirectory() {
  const writes: { readonly text: string; readonly end: (error?: Error) => void }[] = []
  const warnings: string[] = []
  const writeAtomic = (path: string, bytes: Uint8Array, { mode }: { mode?: number } = {}): Promise<void> => {
    expect([path, mode]).toEqual([FILE, 0o644])
    return new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error ? reject(error) : resolve())
      writes.push({ text: Buffer.from(bytes).toString(), end })
    })
  }
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message) }
  return { writes, warnings, file: new MetricsFile('/var/lib/node-exporter', { files: { writeAtomic }, log }) }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const phases = (writes: readonly { readonly text: string }[]) => writes.map(({ text }) => /phase="(\w+)"/.exec(text)?.[1])

test('of what is reported during a write, the last is written after it', async () => {
  const { writes, file } = aDirectory()
  for (const phase of ['Fetching', 'Staging', 'Applying'] as const) file.show({ ...STATUS, phase })
  expect(phases(writes)).toEqual(['Fetching'])
  writes[0]?.end()
  await turn()
  expect(phases(writes)).toEqual(['Fetching', 'Applying'])
  writes[1]?.end()
  await turn()
  file.show({ ...STATUS, phase: 'Applying' })
  expect(writes).toHaveLength(2)
})

test('what could not be written is tried again with the next report', async () => {
  const { writes, warnings, file } = aDirectory()
  file.show(STATUS)
  writes[0]?.end(new Error('ENOSPC'))
  await turn()
  expect([writes.length, warnings]).toEqual([1, ['metrics not written']])
  file.show(STATUS)
  expect(writes).toHaveLength(2)
  file.show({ ...STATUS, phase: 'Failed' })
  writes[1]?.end(new Error('ENOSPC'))
  await turn()
  expect(phases(writes)).toEqual(['Applied', 'Applied', 'Failed'])
})

/** @returns what the agent warns of */
function startOn(machine: Machine, writeAtomic?: HostFiles['writeAtomic']): string[] {
  const warnings: string[] = []
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message) }
  const { ports } = machine.host.process(machine.node, { log })
  const metrics = new MetricsFile('/var/lib/node-exporter', writeAtomic ? { files: { writeAtomic }, log } : ports)
  void new Agent({ ...ports, metrics }, DEFAULT_OPTIONS).run(new AbortController().signal)
  return warnings
}

test('an agent shows what it applied in a file, also while the API server takes no report', async () => {
  const machine = new Machine()
  startOn(machine)
  machine.node.annotate = () => Promise.reject(new Error('403'))
  machine.assign({ flags: '--v=3' }, { REVISION: 'c0ffee' })
  await machine.clock.runUntil(() => machine.host.files.snapshot()[FILE]?.includes('phase="Applied"') === true)
  expect(machine.host.files.text(FILE)).toContain('nodewave_agent_revision{revision="c0ffee"} 1\n')
})

test('an agent without a directory of metrics writes no file of them', async () => {
  const machine = new Machine()
  machine.start()
  machine.assign({ flags: '--v=3' })
  await machine.until('Applied')
  expect(Object.keys(machine.host.files.snapshot()).filter((path) => path.endsWith('.prom'))).toEqual([])
})

test('an agent works as without metrics when their file cannot be written', async () => {
  const machine = new Machine()
  const warnings = startOn(machine, () => Promise.reject(new Error('ENOSPC')))
  machine.assign({ flags: '--v=3' })
  const status = await machine.until('Applied')
  expect(status.error).toBeUndefined()
  expect(new Set(warnings)).toEqual(new Set(['metrics not written']))
})
