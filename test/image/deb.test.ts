import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { debPackage } from '../../scripts/image/deb.ts'

const folder = mkdtempSync(join(tmpdir(), 'nodewave-deb-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const files = [{ path: 'usr/lib/nodewave-agent/nodewave-agent', mode: 0o755, content: Buffer.from('#!/bin/sh\n') }]
const built = debPackage({ version: '1.2.3', architecture: 'amd64', files })
const path = join(folder, 'agent.deb')
writeFileSync(path, built)
const parts = execFileSync('ar', ['t', path], { encoding: 'utf8' })

test('a Debian package has its three members', () => {
  expect(parts.trim().split('\n')).toEqual(['debian-binary', 'control.tar.gz', 'data.tar.gz'])
})

test('a Debian package is the same each time', () => {
  expect(debPackage({ version: '1.2.3', architecture: 'amd64', files }).equals(built)).toBe(true)
})

test('the scripts of a Debian package are programs of the shell', () => {
  execFileSync('sh', [
    '-c',
    `cd ${folder} && ar x agent.deb control.tar.gz && mkdir control && tar -xzf control.tar.gz -C control`,
  ])
  expect(readdirSync(join(folder, 'control')).sort()).toEqual(['control', 'postinst', 'prerm'])
  for (const name of ['postinst', 'prerm']) execFileSync('sh', ['-n', join(folder, 'control', name)])
})
