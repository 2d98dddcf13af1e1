import { expect, test } from 'vitest'
import { conffilesOf, controlOf, stanzaOf } from '../../../src/agent/adapters/apt/repack.ts'

const STATUS = `Package: other
Status: install ok installed

Package: crictl
Status: hold ok installed
Version: 1.31.0
Conffiles:
 /etc/crictl.yaml 0123456789abcdef0123456789abcdef
 /etc/crictl.old 0123456789abcdef0123456789abcdef obsolete
Description: command line
 of the runtime
`

test('the configuration files of an installed package are listed without those that it no longer has', () => {
  expect(conffilesOf(stanzaOf(STATUS, 'crictl') ?? '')).toEqual(['/etc/crictl.yaml'])
})

test('a package without configuration files has an empty list', () => {
  expect(conffilesOf(stanzaOf(STATUS, 'other') ?? '')).toEqual([])
})

test('the control file of a package that is packed again has nothing that dpkg added', () => {
  expect(controlOf(stanzaOf(STATUS, 'crictl') ?? '')).toBe(
    'Package: crictl\nVersion: 1.31.0\nDescription: command line\n of the runtime\n',
  )
})
