import fc from 'fast-check'
import { expect, test } from 'vitest'
import { statePaths } from '../../../src/agent/paths.ts'
import type { HostFiles } from '../../../src/agent/ports.ts'
import { type Processes, type ProcessIdentity, takeInstallLock, takeLocks } from '../../../src/agent/state/lock.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

const key = ({ pid, started }: ProcessIdentity): string => `${pid} ${started}`

/** A machine's processes, as the agent that asks sees them. */
class Machine {
  readonly files = new MemoryFiles()
  readonly running = new Set<string>()

  async take(own: ProcessIdentity, { directory = '/var/lib/nodewave', files = this.files as HostFiles } = {}): Promise<void> {
    this.running.add(key(own))
    const processes: Processes = {
      own: async () => own,
      isRunning: async (other) => this.running.has(key(other)) && other.boot === own.boot,
    }
    await takeLocks(statePaths(directory), { files, processes })
  }

  end(one: ProcessIdentity): void {
    this.running.delete(key(one))
  }

  async reboot(): Promise<void> {
    this.running.clear()
    await this.files.removeTree('/run/nodewave')
  }
}

const first = { pid: 100, boot: 'b1', started: '7' }

test('takeLocks refuses a second agent, names the first, and says what to do', async () => {
  const machine = new Machine()
  await machine.take(first)

  await expect(machine.take({ pid: 200, boot: 'b1', started: '9' })).rejects.toThrow(
    'lock "/run/nodewave": the agent with pid 100 works on this host; stop that one, or give this one a --root of its own',
  )
})

test.each([
  ['the agent that had it was killed', { pid: 200, boot: 'b1', started: '9' }],
  ['its pid was given to another process since', { ...first, started: '8' }],
])('takeLocks takes over when %s', async (_, second) => {
  const machine = new Machine()
  await machine.take(first)
  machine.end(first)
  await machine.take(second)

  const file = `600 0:0 ${JSON.stringify(second)}`
  expect(machine.files.snapshot()).toEqual({ '/run/nodewave/lock.2': file, '/var/lib/nodewave/lock.2': file })
})

test('takeLocks takes over when the machine was started again, and the pid is the same', async () => {
  const machine = new Machine()
  await machine.take(first)
  await machine.reboot()
  const second = { ...first, boot: 'b2' }
  await machine.take(second)

  const file = `600 0:0 ${JSON.stringify(second)}`
  expect(machine.files.snapshot()).toEqual({ '/run/nodewave/lock.1': file, '/var/lib/nodewave/lock.2': file })
})

test('takeLocks refuses a second agent to which the id of the boot looks different, as below a systemd unit in some containers', async () => {
  const machine = new Machine()
  await machine.take(first)

  await expect(machine.take({ pid: 200, boot: 'of the container', started: '9' }, { directory: '/srv/other' })).rejects.toThrow(
    'lock "/run/nodewave": the agent with pid 100 works on this host',
  )
})

test('takeLocks refuses a second agent that has another state directory: the host is the same', async () => {
  const machine = new Machine()
  await machine.take(first)

  await expect(machine.take({ pid: 200, boot: 'b1', started: '9' }, { directory: '/srv/other' })).rejects.toThrow(
    'lock "/run/nodewave": the agent with pid 100 works on this host',
  )
  expect(machine.files.text('/srv/other/lock.1')).toBeUndefined()
})

test('takeLocks refuses when an agent of an earlier release, which knows no lock of the host, works with the state', async () => {
  const machine = new Machine()
  machine.running.add(key(first))
  machine.files.put('/var/lib/nodewave/lock.1', JSON.stringify(first))

  await expect(machine.take({ pid: 200, boot: 'b1', started: '9' })).rejects.toThrow(
    'lock "/var/lib/nodewave": the agent with pid 100 works on this host',
  )
})

test.each(['ENOSPC', 'EDQUOT', 'EROFS'])(
  'takeLocks takes the host alone when the disk of the state answers %s, and still sees who has the state',
  async (code) => {
    const machine = new Machine()
    const create = machine.files.create.bind(machine.files)
    machine.files.create = async (path, bytes) => {
      if (path.startsWith('/var')) throw Object.assign(new Error(code), { code })
      return create(path, bytes)
    }
    await machine.take(first)
    expect(Object.keys(machine.files.snapshot())).toEqual(['/run/nodewave/lock.1'])

    machine.end(first)
    const old = { pid: 50, boot: 'b1', started: '3' }
    machine.running.add(key(old))
    machine.files.put('/var/lib/nodewave/lock.1', JSON.stringify(old))
    await expect(machine.take({ pid: 200, boot: 'b1', started: '9' })).rejects.toThrow('the agent with pid 50 works on this host')
  },
)

test('takeLocks takes over when the file says nothing', async () => {
  const machine = new Machine()
  machine.files.put('/var/lib/nodewave/lock.3', '')
  await machine.take(first)

  expect(Object.keys(machine.files.snapshot())).toEqual(['/run/nodewave/lock.1', '/var/lib/nodewave/lock.4'])
})

test('takeLocks never gives the directory to two that run, in whatever order they come, end and are held up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { minLength: 3, maxLength: 6 }), async (scheduler, ends) => {
      const machine = new Machine()
      const holders = new Set<string>()
      const files = heldUp(machine.files, scheduler)
      const story = async (mayEnd: boolean, index: number): Promise<void> => {
        const own = { pid: index, boot: 'b1', started: '1' }
        const taken = await machine.take(own, { files }).then(
          () => true,
          () => false,
        )
        if (taken) holders.add(key(own))
        expect([...holders].filter((holder) => machine.running.has(holder)).length).toBeLessThanOrEqual(1)
        if (mayEnd || !taken) machine.end(own)
      }
      const stories = ends.map(story)
      await scheduler.waitFor(Promise.all(stories))
    }),
    { numRuns: 500 },
  )
})

/** Each call waits until the scheduler lets it through. */
function heldUp(files: MemoryFiles, scheduler: fc.Scheduler): HostFiles {
  const held = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => scheduler.scheduleFunction(call)
  return {
    read: held((path: string) => files.read(path)),
    stat: held((path: string) => files.stat(path)),
    sha256: held((path: string) => files.sha256(path)),
    list: held((path: string) => files.list(path)),
    create: held((path: string, bytes: Uint8Array) => files.create(path, bytes)),
    removeEmpty: (directory) => files.removeEmpty(directory),
    makeDirectory: (path) => files.makeDirectory(path),
    readLink: (path) => files.readLink(path),
    link: (path, target) => files.link(path, target),
    remove: held((path: string) => files.remove(path)),
    removeTree: (path) => files.removeTree(path),
    writeAtomic: (...args) => files.writeAtomic(...args),
    install: (...args) => files.install(...args),
    keep: (...args) => files.keep(...args),
    restore: (...args) => files.restore(...args),
    append: (...args) => files.append(...args),
  }
}

test('takeInstallLock refuses a second installer until the first has ended, and no agent', async () => {
  const machine = new Machine()
  await machine.take(first)
  const installer = (pid: number, step: 'copy' | 'install' = 'copy') =>
    takeInstallLock(step, {
      files: machine.files,
      processes: {
        own: async () => ({ pid, boot: 'b1', started: '9' }),
        isRunning: async (other) => other.pid === 200 && other.boot === 'b1',
      },
    })
  await installer(200)
  await installer(201, 'install')
  await expect(installer(300)).rejects.toThrow(
    'lock "/run/nodewave": another installation works on this host (pid 200); wait until it has ended, and try again',
  )
  await installer(300, 'install')
})
