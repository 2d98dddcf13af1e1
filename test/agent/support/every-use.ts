import type { HostFiles } from '../../../src/agent/ports.ts'

const BYTES = Buffer.from('x')

type Work = readonly [name: string, work: (files: HostFiles, path: string) => Promise<unknown>]
/** All that can be asked of the host's files, on one path. `/staged` is there. */
export const everyUse: readonly Work[] = [
  ['read', (host, path) => host.read(path)],
  ['stat', (host, path) => host.stat(path)],
  ['sha256', (host, path) => host.sha256(path)],
  ['list', (host, path) => host.list(path)],
  ['writeAtomic', (host, path) => host.writeAtomic(path, BYTES)],
  ['install', (host, path) => host.install('/staged', path)],
  ['keep to it', (host, path) => host.keep('/staged', path)],
  ['keep from it', (host, path) => host.keep(path, '/kept')],
  ['restore', (host, path) => host.restore('/staged', path, { mode: 0o644, uid: 0, gid: 0 })],
  ['create', (host, path) => host.create(path, BYTES)],
  ['append', (host, path) => host.append(path, 'x')],
  ['remove', (host, path) => host.remove(path)],
  ['removeEmpty', (host, path) => host.removeEmpty(path)],
]
