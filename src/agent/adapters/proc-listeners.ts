import { constants } from 'node:fs'
import { join } from 'node:path'
import { open, readdir, readFile, readlink } from '../../kube/file-calls.ts'
import type { Listener } from '../doctor/facts.ts'
import { orMissing } from './or-missing.ts'

interface Socket {
  readonly address: string
  readonly port: number
  readonly inode: string
  /** Of its owner. */
  readonly uid: number
}

/**
 * Who listens on these ports of TCP. Only root sees the processes of others.
 * @param proc directory where /proc is seen
 */
export async function listenersOn(ports: readonly number[], proc: string): Promise<Listener[]> {
  const texts = [await readFile(join(proc, 'net/tcp'), 'utf8'), await orMissing(readFile(join(proc, 'net/tcp6'), 'utf8'))]
  const sockets = texts.flatMap((text) => parseSockets(text ?? '')).filter(({ port }) => ports.includes(port))
  if (sockets.length === 0) return []
  const owners = await ownersOf(new Set(sockets.map(({ inode }) => `socket:[${inode}]`)), proc)
  return sockets.map(({ address, port, inode }) => ({ address, port, process: owners.get(`socket:[${inode}]`) }))
}

/** Bytes of a table: some 400 sockets. Those that listen come before all connections. */
const BEGINNING = 64 * 1024

/** Uids of those who listen on a port of TCP, as far as the beginning of the tables shows. @param proc directory where /proc is seen */
export async function uidsListeningOn(port: number, proc = '/proc'): Promise<number[]> {
  const texts = await Promise.all(['net/tcp', 'net/tcp6'].map((name) => orMissing(beginningOf(join(proc, name)))))
  const sockets = texts.flatMap((text) => parseSockets(text ?? ''))
  return sockets.filter((socket) => socket.port === port).map(({ uid }) => uid)
}

async function beginningOf(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY)
  const bytes = Buffer.alloc(BEGINNING)
  let length = 0
  // A read of /proc gives a page at most.
  for (let more = 1; more > 0 && length < BEGINNING; length += more)
    more = (await file.read(bytes, length, BEGINNING - length, null)).bytesRead
  const text = bytes.toString('latin1', 0, length)
  return text.slice(0, text.lastIndexOf('\n') + 1)
}

/** State of a socket that listens. */
const LISTENS = '0A'

/** @param text of /proc/net/tcp or tcp6: a line of headings, then number, local and remote address, state, as the eighth the uid, as the tenth the inode */
export function parseSockets(text: string): Socket[] {
  const rows = text.split('\n').slice(1)
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , uid, , inode = ''] = row.trim().split(/\s+/)
    const [address = '', port = ''] = local.split(':')
    return state === LISTENS ? [{ address: addressText(address), port: Number.parseInt(port, 16), inode, uid: Number(uid) }] : []
  })
}

/** What an IPv4 address that is written as one of IPv6 begins with. */
const MAPPED = '00000000000000000000FFFF'

/** Words of four bytes, the last byte first, as the machines that kubelets run on have them. */
function addressText(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse())
  const mapped = bytes.length === 16 && bytes.slice(0, 12).join('') === MAPPED
  if (bytes.length === 4 || mapped)
    return bytes
      .slice(-4)
      .map((byte) => Number.parseInt(byte, 16))
      .join('.')
  const groups = bytes.join('').match(/.{4}/g) ?? []
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

type Owners = ReadonlyMap<string, NonNullable<Listener['process']>>

/** @param links as the open files of a process name sockets */
async function ownersOf(links: ReadonlySet<string>, proc: string): Promise<Owners> {
  const owners = new Map<string, NonNullable<Listener['process']>>()
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    for (const link of await socketsOf(join(proc, pid, 'fd'))) {
      if (!links.has(link) || owners.has(link)) continue
      const name = await readFile(join(proc, pid, 'comm'), 'utf8').catch(() => '')
      owners.set(link, { pid: Number(pid), name: name.trim() })
    }
  }
  return owners
}

/** Nothing of a process that has ended by now, or that belongs to somebody else. */
async function socketsOf(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => [])
  return Promise.all(names.map((name) => readlink(join(directory, name)).catch(() => '')))
}
