import { expect, test } from 'vitest'
import { isPrivateAddress, judgingLookup, redirectComplaint } from '../../../src/agent/adapters/redirect-target.ts'

test.each([
  '127.0.0.1',
  '127.8.9.10',
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '100.100.100.200',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fd00:ec2::254',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  '2002:7f00:1::',
])('isPrivateAddress takes %s for private', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each(['93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:93.184.216.34'])(
  'isPrivateAddress takes %s for public',
  (address) => {
    expect(isPrivateAddress(address)).toBe(false)
  },
)

test('a redirect may lead to a private address only where the download has been before', () => {
  expect(redirectComplaint('mirror', '10.0.0.5', { used: ['10.0.0.5'] })).toBeUndefined()
  expect(redirectComplaint('cdn', '93.184.216.34', { used: [] })).toBeUndefined()
  expect(redirectComplaint('metadata:80', '169.254.169.254', { used: ['10.0.0.5'] })).toBe(
    'refuse the redirect to "metadata:80": its address 169.254.169.254 is a private one; download from there directly, or name the host in urlHosts of the host policy',
  )
})

test('judgingLookup gives the addresses that it judged, and none when one of them is refused', async () => {
  const lookup = (judge: (address: string) => string | undefined, all: boolean) =>
    new Promise((resolve) =>
      judgingLookup(judge)('localhost', { all, family: 4 }, (error, ...found) => resolve(error?.message ?? found)),
    )

  expect(await lookup(() => undefined, false)).toEqual(['127.0.0.1', 4])
  expect(await lookup(() => undefined, true)).toEqual([[{ address: '127.0.0.1', family: 4 }]])
  expect(await lookup((address) => `refuse ${address}`, true)).toBe('refuse 127.0.0.1')
})
