import { expect, test } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import type { Death } from '../../../src/sim/host/faults.ts'
import { Machine } from '../support/machine.ts'

/** Everything an assignment can bring: binary, flags, configuration, a file, a unit that is new and one that restarts. */
function everything(machine: Machine, flags: string): NodeContent {
  const host = JSON.stringify({
    kubelet: machine.release('1.36.3'),
    files: [
      { path: '/etc/motd', content: 'hello\n', mode: '0640', owner: 'kube', group: 'kube' },
      { path: '/etc/passwd-', state: 'absent' },
      { path: '/etc/tuned/profiles/node/tuned.conf', content: 'summary=node\n' },
      { path: '/etc/tuned/profiles/tuned-main.conf', content: 'daemon=1\n' },
    ],
    units: [
      {
        name: 'tuned.service',
        content: '[Service]\nExecStart=/bin/tuned\n[Install]\nWantedBy=multi-user.target\n',
        enabled: true,
        state: 'running',
      },
      { name: 'containerd.service', dropIns: { '10-limits.conf': '[Service]\nLimitNOFILE=1000000\n' } },
    ],
  })
  return { version: '1.36.3', flags, config: 'maxPods: 50\n', host }
}

const GOOD = '--v=3'
const BAD = '--container-runtime-endpoint=unix:///not/there.sock'

async function furnished(): Promise<Machine> {
  const machine = new Machine({ version: '1.35.4' })
  machine.host.files.put('/etc/motd', 'welcome\n', { mode: 0o600, uid: 7, gid: 8 })
  machine.host.files.put('/etc/passwd-', 'old\n', { mode: 0o600 })
  await machine.clock.advance(5000)
  return machine
}

const TRIAL = '/var/lib/nodewave/meta/trial.json'

/** What counts as the end state: all files and directories but for when, how often and by which transaction, and the units. */
async function endState(machine: Machine) {
  const units = []
  for (const name of ['kubelet.service', 'tuned.service', 'containerd.service']) {
    const { exists, enabled, active } = await machine.host.services.show(name)
    units.push({ name, exists, enabled, active })
  }
  const { '/var/lib/nodewave/meta/outcome.json': _, [TRIAL]: trial, ...files } = machine.host.files.snapshot()
  const demands = trial?.replace(/,"(shown|change)":(\d+|"[^"]*")/g, '')
  return { files, demands, directories: directoriesOf(machine), units, kubelet: machine.host.services.healthyVersion() }
}

/** Those of the host; which ones the agent's memory has is its own affair. */
function directoriesOf(machine: Machine): string[] {
  return machine.host.files.directories().filter((path) => !`${path}/`.startsWith('/var/lib/nodewave/'))
}

/** What was only in memory: a download is not told to the disk before it is installed. */
function loseWhatWasNotSynced({ host: { files } }: Machine): void {
  const started = files.text('/usr/bin/kubelet')
  for (const path of Object.keys(files.snapshot()))
    if (path.startsWith('/var/lib/nodewave/staging/kubelet-') && files.text(path) !== started) files.put(path, '')
}

interface Story {
  readonly flags: string
  readonly death?: Death
  /** What happens to a machine whose agent has died. */
  readonly meanwhile?: (machine: Machine) => void
  /** An assignment whose trial is not over yet: what is staged is kept then, since the way back may need it. */
  readonly onTrial?: boolean
}

async function runToEnd({ flags, death, meanwhile = () => {}, onTrial = false }: Story) {
  const machine = await furnished()
  if (onTrial) {
    machine.start()
    await machine.untilDigest(machine.assign({ opts: '--v=1' }), 'Applied')
    machine.kill()
  }
  const digest = machine.assign(everything(machine, flags))
  const process = machine.start(death)
  const ended = () => machine.status?.digest === digest && ['Applied', 'RolledBack', 'Failed'].includes(machine.status.phase)
  await machine.clock.runUntil(() => process.dead || ended())
  if (process.dead) {
    machine.kill()
    meanwhile(machine)
    machine.start()
    await machine.clock.runUntil(ended)
  }
  return { machine, process, phase: machine.status?.phase, state: await endState(machine) }
}

test.each([
  ['a good assignment', GOOD, 'Applied'],
  ['an assignment that makes the kubelet crash', BAD, 'RolledBack'],
])('agent comes to the same end after %s when it is killed after any effect', async (_, flags, phase) => {
  const calm = await runToEnd({ flags })
  expect(calm.phase).toBe(phase)
  expect(calm.process.effects).toBeGreaterThan(30)

  for (let effect = 1; effect <= calm.process.effects; effect++) {
    const killed = await runToEnd({ flags, death: { afterEffect: effect } })
    expect(killed.process.dead, `killed after effect ${effect}`).toBe(true)
    expect(killed.phase, `killed after effect ${effect}`).toBe(phase)
    expect(killed.state, `killed after effect ${effect}`).toEqual(calm.state)
  }
})

test('agent comes to the same end when the power is cut after any effect, and a download is lost', async () => {
  const calm = await runToEnd({ flags: GOOD, onTrial: true })
  for (let effect = 1; effect <= calm.process.effects; effect++) {
    const story = { flags: GOOD, onTrial: true, death: { afterEffect: effect }, meanwhile: loseWhatWasNotSynced }
    const cut = await runToEnd(story)
    expect(cut.phase, `cut after effect ${effect}`).toBe('Applied')
    expect(cut.state.kubelet, `cut after effect ${effect}`).toBe('v1.36.3')
    expect(cut.state.files['/usr/bin/kubelet'], `cut after effect ${effect}`).toBe(calm.state.files['/usr/bin/kubelet'])
  }
})

test('agent that puts a host back takes away the directories that it had made, and no others', async () => {
  const before = directoriesOf(await furnished())
  const { state, phase } = await runToEnd({ flags: BAD })

  expect(phase).toBe('RolledBack')
  expect(state.directories).toEqual(before)
})

test('agent comes to the same end when the journal line it was writing is torn', async () => {
  const calm = await runToEnd({ flags: GOOD })
  for (let effect = 1; effect <= calm.process.effects; effect++) {
    const killed = await runToEnd({ flags: GOOD, death: { afterEffect: effect, torn: true } })
    expect(killed.phase, `torn at effect ${effect}`).toBe('Applied')
    expect(killed.state, `torn at effect ${effect}`).toEqual(calm.state)
  }
})

test('agent that is killed again while it recovers still comes to the same end', async () => {
  const calm = await runToEnd({ flags: BAD })
  for (let first = 12; first <= calm.process.effects; first += 5) {
    for (let second = 1; second <= 20; second += 3) {
      const machine = await furnished()
      const digest = machine.assign(everything(machine, BAD))
      const ended = () => machine.status?.digest === digest && machine.status.phase === 'RolledBack'
      for (const death of [{ afterEffect: first }, { afterEffect: second }]) {
        const process = machine.start(death)
        await machine.clock.runUntil(() => process.dead || ended())
        machine.kill()
      }
      machine.start()
      await machine.clock.runUntil(ended)
      expect(await endState(machine), `killed after ${first}, then after ${second}`).toEqual(calm.state)
    }
  }
})
