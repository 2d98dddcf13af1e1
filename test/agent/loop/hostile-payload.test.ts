/** Whatever a payload says, the host stays as it is, the status says why, and the next assignment is applied. */
import { expect, test } from 'vitest'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import { Machine } from '../support/machine.ts'

const DEEP = 20_000
const nested = (open: string, close: string): string => `${open.repeat(DEEP)}${close.repeat(DEEP)}`
const host = (document: object): NodeContent => ({ host: JSON.stringify(document) })

/** Each alias is ten of the one before. */
const aliases = (): string => {
  const lines = Array.from(
    { length: 9 },
    (_, level) => `a${level + 1}: &a${level + 1} [${Array(10).fill(`*a${level}`).join(', ')}]`,
  )
  return ['a0: &a0 x', ...lines, ''].join('\n')
}

const HOSTILE: Readonly<Record<string, NodeContent>> = {
  'a configuration of lists without end': { config: `maxPods: ${nested('[', ']')}\n` },
  'a configuration of mappings without end': { config: nested('{a: ', '}') },
  'a configuration of aliases of aliases': { config: aliases() },
  'a configuration with a key twice': { config: 'maxPods: 50\nmaxPods: 60\n' },
  'a configuration with another tag': { config: '!!binary aGVsbG8=\n' },
  'a field with another tag': { config: 'staticPodPath: !!binary L2V0Yw==\n' },
  'a configuration of two documents': { config: 'maxPods: 50\n---\nmaxPods: 60\n' },
  'a host document of lists without end': { host: `{"files": ${nested('[', ']')}}` },
  'a host document that is a list': { host: '[]' },
  'a host document that is cut short': { host: '{"files": [' },
  'a path with NUL': host({ files: [{ path: '/etc/a\0b', content: '' }] }),
  'a path with half of a character': host({ files: [{ path: '/etc/\ud800', content: '' }] }),
  'a path above the root': host({ files: [{ path: '/etc/../../x', content: '' }] }),
  'a unit with a specifier': host({ units: [{ name: 'a%i.service', content: '[Service]\n', state: 'running' }] }),
  'a unit that is a path': host({ units: [{ name: '../a.service', content: '[Service]\n', state: 'running' }] }),
  'a drop-in that is a path': host({ units: [{ name: 'a.service', dropIns: { '../../a.conf': '' } }] }),
  'a section by the name of a prototype': { host: '{"__proto__": {"files": []}, "constructor": [1]}' },
  'flags with a line end': { flags: '--v=3\nEVIL=1' },
  'flags with NUL': { flags: '--v=3\0' },
}

test.each(Object.entries(HOSTILE))('agent takes no harm from %s', async (_, content) => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  const { mainPid } = await machine.host.services.show('kubelet.service')
  machine.assign(content)

  const { error } = await machine.until('Applied', 'RolledBack', 'Failed')

  expect(machine.status?.phase).toBe('RolledBack')
  expect(error?.message.length).toBeGreaterThan(20)
  expect(error?.reason).not.toBe('Internal')
  expect(machine.hostFiles()).toEqual(before)
  expect((await machine.host.services.show('kubelet.service')).mainPid).toBe(mainPid)
  const good = machine.assign({ config: 'maxPods: 50\n' })
  expect(await machine.untilDigest(good, 'Applied')).not.toHaveProperty('error')
})

test.each<[string, NodeContent]>([
  ['a megabyte of flags', { flags: `--node-labels=${'a'.repeat(1_000_000)}=b` }],
  ['a file of five megabytes', host({ files: [{ path: '/etc/large', content: 'x'.repeat(5_000_000) }] })],
  ['fields by the names of prototypes', { config: 'constructor: {a: 1}\n__proto__: {b: 2}\ntoString: c\nmaxPods: 50\n' }],
  ['a sysctl by the name of a prototype', { host: '{"sysctls": {"__proto__": "1"}}' }],
  ['a path of several alphabets', host({ files: [{ path: '/etc/naïve/файл-🙂', content: 'ü\u202e' }] })],
])('agent applies %s, and gives the host back', async (_, content) => {
  const machine = new Machine()
  machine.start()
  await machine.clock.advance(5000)
  const before = machine.hostFiles()
  const digest = machine.assign(content)
  await machine.untilDigest(digest, 'Applied')
  expect(({} as Record<string, unknown>).b).toBeUndefined()
  machine.annotate(null)
  await machine.until('Reverted')

  expect(machine.hostFiles()).toEqual(before)
})
