import { expect, test } from 'vitest'
import { Machine } from '../support/machine.ts'

const DROP_IN = '/etc/systemd/system/kubelet.service.d/99-x.conf'

test('undo that the journal could not tell of is finished, though what is left of the change would run', async () => {
  const machine = new Machine()
  const { files } = machine.host
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  const append = files.append.bind(files)
  files.append = async (path, line) => {
    if (line.includes('"undoing"')) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    return append(path, line)
  }
  // What breaks the kubelet is put back first; then the agent dies.
  const process = machine.start({ after: { method: 'remove', subject: DROP_IN } })
  const host = JSON.stringify({ files: [{ path: DROP_IN, content: '[Service]\nExecStart=\n' }] })
  machine.assign({ flags: '--v=3', host })
  await machine.clock.runUntil(() => process.dead)
  expect(files.text('/etc/default/kubelet')).toContain('--v=3')
  expect(files.text(DROP_IN)).toBeUndefined()
  files.append = append
  machine.kill()
  machine.start()
  await machine.until('RolledBack', 'Applied', 'Failed')

  expect(machine.status?.phase).toBe('RolledBack')
  expect(machine.hostFiles()).toEqual(before)
})
