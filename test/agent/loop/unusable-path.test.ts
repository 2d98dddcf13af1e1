/** Paths that no retry makes usable, and files that cannot be read. */
import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const MINUTE = 60_000
const MOTD = '/etc/motd'

/** Whatever is asked of this path fails. */
function breakPath({ host: { files } }: Machine, path: string, code: string): void {
  const failing = (name: 'stat' | 'read' | 'sha256'): void => {
    const work = files[name].bind(files) as (asked: string) => Promise<never>
    files[name] = async (asked: string) => {
      if (asked === path) throw Object.assign(new Error(`${code}: ${name} '${asked}'`), { code })
      return work(asked)
    }
  }
  for (const name of ['stat', 'read', 'sha256'] as const) failing(name)
}

const hostWith = (content: string) => JSON.stringify({ files: [{ path: MOTD, content }] })

test.each(['ENAMETOOLONG', 'EINVAL', 'ENOTDIR', 'EISDIR', 'ELOOP'])(
  'agent refuses for good a path of which the file system says %s',
  async (code) => {
    const machine = new Machine()
    breakPath(machine, MOTD, code)
    machine.start()
    machine.assign({ host: hostWith('x') })

    expect(await machine.until('RolledBack', 'Staging')).toMatchObject({
      phase: 'RolledBack',
      error: { reason: 'PathNotUsable', message: `failed to validate config: ${code}: stat '${MOTD}'` },
    })
  },
)

test.each(['EIO', 'EACCES', 'ENOMEM'])('agent tries again when it reads %s, since that may pass', async (code) => {
  const machine = new Machine()
  breakPath(machine, MOTD, code)
  machine.start()
  machine.assign({ host: hostWith('x') })
  await machine.clock.advance(30 * MINUTE)

  expect(machine.status).toMatchObject({ phase: 'Staging' })
})

test.each(['ELOOP', 'EIO'])(
  'agent reports a managed file of which it reads %s as drift, and repairs the others',
  async (code) => {
    const machine = new Machine()
    machine.start()
    machine.assign({
      host: JSON.stringify({
        files: [
          { path: MOTD, content: 'ours\n' },
          { path: '/etc/issue', content: 'ours\n' },
        ],
      }),
    })
    await machine.until('Applied')
    await machine.clock.advance(11 * MINUTE)
    breakPath(machine, MOTD, code)
    machine.host.files.put('/etc/issue', 'hacked\n')
    await machine.clock.advance(11 * MINUTE)

    expect(machine.status).toMatchObject({ phase: 'Applied', drift: [MOTD] })
    expect(machine.host.files.text('/etc/issue')).toBe('ours\n')
  },
)

test.each(['ELOOP', 'EIO'])('agent judges a trial, and goes back, though it reads %s of a managed file', async (code) => {
  const machine = new Machine()
  machine.start()
  const good = machine.assign({ flags: '--v=2', host: hostWith('ours\n') })
  await machine.until('Applied')
  await machine.clock.advance(11 * MINUTE)
  await machine.untilDigest(machine.assign({ flags: '--v=3', host: hostWith('ours\n') }), 'Applied')
  machine.kill()
  breakPath(machine, MOTD, code)
  machine.start()
  machine.host.injectCrash(({ args }) => (args.includes('--v=3') ? 'panic: out of luck' : undefined))

  expect(await machine.until('RolledBack', 'Failed')).toMatchObject({ phase: 'RolledBack', active: good })
  expect(machine.host.services.healthyVersion()).toBe('v1.35.4')
})
