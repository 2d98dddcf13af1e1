import { expect, test } from 'vitest'
import { WIRE, WireError, WireReader } from '../../../../src/sim/apiserver/protobuf/wire-reader.ts'
import { bytes, number, varint } from './write-wire.ts'

const reader = (...parts: readonly Buffer[]) => new WireReader(Buffer.concat(parts))
const failure = (read: () => unknown) => {
  try {
    read()
  } catch (error) {
    if (error instanceof WireError) return error.message
    throw error
  }
  return 'read'
}

test('a varint has up to 64 bits', () => {
  const values = [0n, 127n, 128n, 300n, 2n ** 63n, 2n ** 64n - 1n]

  expect(values.map((value) => reader(varint(value)).varint())).toEqual(values)
})

test('a varint that does not end, or has more bits, is refused', () => {
  expect(failure(() => reader(Buffer.alloc(0)).varint())).toBe('unexpected EOF')
  expect(failure(() => reader(Buffer.from([0x80])).varint())).toBe('unexpected EOF')
  expect(failure(() => reader(Buffer.alloc(11, 0x80)).varint())).toBe('proto: integer overflow')
})

test('bytes that end early, or have a negative length, are refused', () => {
  expect(failure(() => reader(varint(4), Buffer.from('abc')).bytes())).toBe('unexpected EOF')
  expect(failure(() => reader(varint(2n ** 62n), Buffer.from('abc')).bytes())).toBe('unexpected EOF')
  expect(failure(() => reader(varint(-1), Buffer.from('abc')).bytes())).toBe('proto: negative length found during unmarshaling')
})

test('skip passes the value of a field in every form', () => {
  const fixed32 = Buffer.concat([varint(8 + WIRE.fixed32), Buffer.alloc(4)])
  const fixed64 = Buffer.concat([varint(8 + WIRE.fixed64), Buffer.alloc(8)])
  const group = Buffer.concat([varint(8 + WIRE.groupStart), number(2, 5), fixed32, varint(8 + WIRE.groupEnd)])
  const subject = reader(number(1, 300), bytes(1, 'abc'), fixed32, fixed64, group, number(7, 9))
  for (let index = 0; index < 5; index += 1) subject.skip(subject.tag().wire)

  expect(subject.tag()).toEqual({ number: 7, wire: WIRE.varint })
  expect(subject.varint()).toBe(9n)
})

test('skip refuses groups that do not end or begin, and forms that do not exist', () => {
  const start = varint(8 + WIRE.groupStart)
  expect(failure(() => reader(start).skip(WIRE.groupStart))).toBe('unexpected EOF')
  expect(failure(() => reader().skip(WIRE.groupEnd))).toBe('proto: unexpected end of group')
  expect(failure(() => reader().skip(7))).toBe('proto: illegal wireType 7')
})

test('skip does not run out of stack when groups nest a million deep', () => {
  const subject = new WireReader(Buffer.alloc(1_000_000, 8 + WIRE.groupStart))

  expect(failure(() => subject.skip(WIRE.groupStart))).toBe('unexpected EOF')
})
