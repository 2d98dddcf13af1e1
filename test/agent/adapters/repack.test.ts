import { expect, test } from 'vitest'
import { conffilesOf, controlOf, repack, stanzaOf } from '../../../src/agent/adapters/apt/repack.ts'
import { MemoryFiles } from '../../../src/sim/host/memory-files.ts'

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

test('a package is packed again from the paths that it brought, without the root and links of the merged directories', async () => {
  const files = new MemoryFiles()
  files.put('/var/lib/dpkg/status', STATUS)
  files.put('/var/lib/dpkg/info/crictl.postinst', '#!/bin/sh\n')
  const ran: string[] = []
  const archive = await repack(
    { name: 'crictl', architecture: 'amd64' },
    {
      ...{ files, store: '/store', named: (path) => path },
      run: async ([program = '']) => {
        ran.push(program)
        return { code: 0, stdout: '', stderr: '', timedOut: false }
      },
      brought: async () => ['/.', '/lib', '/lib64', '/usr', '/usr/lib', '/usr/lib/crictl'],
    },
  )

  expect(archive).toBe('/store/repack/archive.deb')
  expect(ran).toEqual(['tar', 'tar', 'chmod', 'dpkg-deb'])
  expect(files.text('/store/repack/list')).toBe('./usr\0./usr/lib\0./usr/lib/crictl\0')
  expect(files.text('/store/repack/root/DEBIAN/conffiles')).toBe('/etc/crictl.yaml\n')
  expect(files.text('/store/repack/root/DEBIAN/postinst')).toBe('#!/bin/sh\n')
})

test('a package that cannot be packed again has no archive', async () => {
  const files = new MemoryFiles()
  files.put('/var/lib/dpkg/status', STATUS)
  const run = async () => ({ code: 2, stdout: '', stderr: 'tar: /usr/bin/crictl: Cannot stat', timedOut: false })
  const options = { files, store: '/store', named: (path: string) => path, run, brought: async () => ['/usr/bin/crictl'] }

  expect(await repack({ name: 'crictl', architecture: 'amd64' }, options)).toBeUndefined()
  expect(await repack({ name: 'nobody', architecture: 'amd64' }, options)).toBeUndefined()
})
