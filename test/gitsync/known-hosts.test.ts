import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knownHostKeys } from '../../src/gitsync/known-hosts.ts'
import { parseSshAddress } from '../../src/gitsync/ssh-address.ts'

const HOST = { host: 'git.example.com', port: 22 }

function keys(text: string, host = HOST) {
  return knownHostKeys(text, host).map(({ type, blob }) => `${type} ${blob.toString('base64')}`)
}

test.for([
  ['git.example.com ssh-ed25519 AAAA\n', ['ssh-ed25519 AAAA']],
  ['GIT.example.com,10.0.0.1 ssh-ed25519 AAAA comment\n', ['ssh-ed25519 AAAA']],
  ['*.example.com ssh-ed25519 AAAA\n', ['ssh-ed25519 AAAA']],
  ['g?t.example.com ssh-ed25519 AAAA\r\n', ['ssh-ed25519 AAAA']],
  ['*.example.com,!git.example.com ssh-ed25519 AAAA\n', []],
  ['gitxexample.com ssh-ed25519 AAAA\n', []],
  ['[git.example.com]:2222 ssh-ed25519 AAAA\n', []],
  ['# git.example.com ssh-ed25519 AAAA\n', []],
  ['@cert-authority git.example.com ssh-ed25519 AAAA\n', []],
  ['git.example.com ssh-ed25519 AAAA\n@revoked * ssh-ed25519 AAAA\n', []],
  ['git.example.com ssh-ed25519 AAAA\ngit.example.com ssh-rsa BBBB\n', ['ssh-ed25519 AAAA', 'ssh-rsa BBBB']],
  ['', []],
] as const)('known hosts %j have these keys of a host', ([text, expected]) => {
  expect(keys(text)).toEqual(expected)
})

test('a host at another port is known by its port', () => {
  expect(keys('[git.example.com]:2222 ssh-ed25519 AAAA\n', { ...HOST, port: 2222 })).toEqual(['ssh-ed25519 AAAA'])
  expect(keys('git.example.com ssh-ed25519 AAAA\n', { ...HOST, port: 2222 })).toEqual([])
})

test('known hosts that ssh-keygen has hashed are found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nodewave-hosts-'))
  try {
    const file = join(folder, 'known_hosts')
    writeFileSync(file, 'git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB0hRyWdbbAaGRoDhMvI6KC0vLjSRhjx8b7UiEdtYmmw\n')
    execFileSync('ssh-keygen', ['-q', '-H', '-f', file], { stdio: 'ignore' })
    const hashed = readFileSync(file, 'utf8')
    expect(hashed).toMatch(/^\|1\|/)
    expect(keys(hashed)).toHaveLength(1)
    expect(keys(hashed, { ...HOST, host: 'other.example.com' })).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.for([
  ['ssh://git@host:2222/o/r.git', { username: 'git', host: 'host', port: 2222, path: '/o/r.git' }],
  ['ssh://host/o/r.git', { username: 'git', host: 'host', port: 22, path: '/o/r.git' }],
  ['ssh://me@[::1]/~me/r.git', { username: 'me', host: '::1', port: 22, path: '~me/r.git' }],
  ['git@github.com:o/r.git', { username: 'git', host: 'github.com', port: 22, path: 'o/r.git' }],
  ['ssh://git:secret@host/o/r.git', undefined],
  ['ssh://host', undefined],
  ['host:o/r.git', undefined],
  ['./a@b:c', undefined],
  ['/srv/fleet.git', undefined],
  ['https://host/o/r.git', undefined],
] as const)('the address %s is read', ([text, expected]) => {
  expect(parseSshAddress(text)).toEqual(expected)
})
