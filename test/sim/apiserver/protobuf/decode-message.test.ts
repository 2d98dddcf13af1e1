import { expect, test } from 'vitest'
import { decodeMessage } from '../../../../src/sim/apiserver/protobuf/decode-message.ts'
import { bytes, number, varint } from './write-wire.ts'

const decoded = (message: string, ...parts: readonly Buffer[]) => decodeMessage(Buffer.concat(parts), message)

test('a zero is left out where JSON leaves it out, and kept where it says something', () => {
  expect(decoded('core.v1.ContainerPort', bytes(1, ''), number(2, 0), number(3, 80))).toEqual({ containerPort: 80 })
  expect(decoded('core.v1.SecurityContext', number(2, 0), number(4, 0))).toEqual({ privileged: false, runAsUser: 0 })
  expect(decoded('core.v1.ContainerStatus', bytes(1, ''), number(4, 0), number(5, 0))).toEqual({
    name: '',
    ready: false,
    restartCount: 0,
  })
})

test('a time that is not set is left out', () => {
  expect(decoded('meta.v1.ObjectMeta', bytes(1, 'a'), bytes(8))).toEqual({ name: 'a' })
})

test('negative numbers keep their sign', () => {
  expect(decoded('core.v1.PodSpec', number(25, -5), number(4, -1))).toEqual({ priority: -5, terminationGracePeriodSeconds: -1 })
})

test('members of an inlined message stand in the object around it', () => {
  expect(decoded('core.v1.Volume', bytes(1, 'a'), bytes(2, bytes(2, bytes(1, 'Memory'))))).toEqual({
    name: 'a',
    emptyDir: { medium: 'Memory' },
  })
})

test('maps have their entries, an entry without a value has the zero, and bytes are base64', () => {
  expect(
    decoded(
      'core.v1.ConfigMap',
      bytes(2, bytes(1, 'a'), bytes(2, 'b')),
      bytes(2, bytes(1, 'c')),
      bytes(3, bytes(1, 'd'), bytes(2, 'e')),
    ),
  ).toEqual({ data: { a: 'b', c: '' }, binaryData: { d: 'ZQ==' } })
  expect(decoded('core.v1.ResourceRequirements', bytes(1, bytes(1, 'cpu')))).toEqual({ limits: { cpu: '0' } })
})

test('a key of a map that is named __proto__ is a key as any other', () => {
  expect(JSON.stringify(decoded('core.v1.ConfigMap', bytes(2, bytes(1, '__proto__'), bytes(2, 'b'))))).toBe(
    '{"data":{"__proto__":"b"}}',
  )
})

test('numbers of a list are read one by one, and packed', () => {
  const packed = bytes(4, varint(2), varint(3))

  expect(decoded('core.v1.PodSecurityContext', number(4, 1), packed)).toEqual({ supplementalGroups: [1, 2, 3] })
})

test('a value is a number or text where both are allowed', () => {
  const intOrString = (...parts: readonly Buffer[]) => decoded('util.intstr.IntOrString', ...parts)

  expect(intOrString(number(1, 0), number(2, 80), bytes(3, ''))).toBe(80)
  expect(intOrString(number(1, 1), number(2, 0), bytes(3, '50%'))).toBe('50%')
})

test('times have the digits that JSON has for them', () => {
  const stamp = [number(1, 1_767_225_600), number(2, 1_234_567)]

  expect(decoded('meta.v1.Time', ...stamp)).toBe('2026-01-01T00:00:00Z')
  expect(decoded('meta.v1.MicroTime', ...stamp)).toBe('2026-01-01T00:00:00.001234Z')
  expect(decoded('meta.v1.Time', number(1, 0), number(2, 0))).toBe('1970-01-01T00:00:00Z')
  expect(decoded('meta.v1.MicroTime', number(1, 0), number(2, -1000))).toBe('1969-12-31T23:59:59.999999Z')
})

test('a time that JSON cannot write is refused', () => {
  expect(() => decoded('meta.v1.Time', number(1, 253_402_300_800))).toThrow(
    'a time of 253402300800 s is not in the years 0 to 9999',
  )
})

test('a field that the message does not have is dropped', () => {
  expect(decoded('core.v1.ConfigMap', bytes(99, 'new'), number(4, 1))).toEqual({ immutable: true })
})

test('a message with a value in another form, an illegal tag, or an end of no group is refused', () => {
  const refused =
    (...parts: readonly Buffer[]) =>
    () =>
      decoded('core.v1.ConfigMap', ...parts)

  expect(refused(number(2, 1))).toThrow('proto: wrong wireType = 0 for field data')
  expect(refused(bytes(4, 'yes'))).toThrow('proto: wrong wireType = 2 for field immutable')
  expect(refused(varint(2))).toThrow('proto: ConfigMap: illegal tag 0 (wire type 2)')
  expect(refused(varint(12))).toThrow('proto: ConfigMap: wiretype end group for non-group')
  expect(refused(bytes(2, number(1, 5)))).toThrow('proto: wrong wireType = 0 for field data')
})
