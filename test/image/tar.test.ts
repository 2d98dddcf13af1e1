import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type TarEntry, tarOf } from '../../scripts/image/tar.ts'

const folder = mkdtempSync(join(tmpdir(), 'nodewave-tar-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LONG = `${'deep/'.repeat(40)}file-ü`
const ENTRIES: readonly TarEntry[] = [
  { path: 'usr/bin/tool', mode: 0o755, content: Buffer.from('#!/bin/sh\n') },
  { path: 'tmp', mode: 0o1777 },
  { path: LONG, mode: 0o644, content: Buffer.alloc(513, 'x') },
  { path: 'bin', target: 'usr/bin' },
  { path: 'far', target: LONG },
]

test('tar unpacks the archive to what its entries say', () => {
  execFileSync('tar', ['-xpf', '-', '-C', folder], { input: tarOf(ENTRIES) })
  expect(readFileSync(join(folder, 'bin/tool'), 'utf8')).toBe('#!/bin/sh\n')
  expect(lstatSync(join(folder, 'usr/bin/tool')).mode & 0o7777).toBe(0o755)
  expect(lstatSync(join(folder, 'tmp')).mode & 0o7777).toBe(0o1777)
  expect(readFileSync(join(folder, LONG), 'utf8')).toBe('x'.repeat(513))
  expect(readlinkSync(join(folder, 'far'))).toBe(LONG)
})

test('the archive lists each directory before what is in it, without owner and time', () => {
  const listed = execFileSync('tar', ['--numeric-owner', '--utc', '-tvf', '-'], {
    input: tarOf(ENTRIES.slice(0, 2)),
    encoding: 'utf8',
  })
  expect(listed.trim().split('\n')).toEqual([
    'drwxrwxrwt 0/0               0 1970-01-01 00:00 tmp/',
    'drwxr-xr-x 0/0               0 1970-01-01 00:00 usr/',
    'drwxr-xr-x 0/0               0 1970-01-01 00:00 usr/bin/',
    '-rwxr-xr-x 0/0              10 1970-01-01 00:00 usr/bin/tool',
  ])
})

test('the archive is the same whatever the order of the entries', () => {
  const digestOf = (entries: readonly TarEntry[]) => createHash('sha256').update(tarOf(entries)).digest('hex')
  expect(digestOf(ENTRIES.toReversed())).toBe(digestOf(ENTRIES))
})
