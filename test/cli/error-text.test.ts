import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorText } from '../../src/cli/error-text.ts'
import { startApiServer } from '../../src/sim/apiserver/start-api-server.ts'
import { aFolder, FLEET, NODES, runCli } from './run-cli.ts'

const missing = 'ENOENT: no such file or folder; check the path\n'

test('a path that leads nowhere is named with what to do, in every command that takes one', async () => {
  const folder = await aFolder({ ...FLEET, 'nodes.json': NODES })
  const at = (name: string) => join(folder, name)
  const errors = async (...args: string[]) => (await runCli(folder, args)).stderr
  for (const command of ['validate', 'render', 'plan', 'windows'])
    expect(await errors(command, 'nope')).toBe(`error: failed to read folder "${at('nope')}": ${missing}`)
  expect(await errors('explain', 'w-0', '--repo', 'nope')).toBe(`error: failed to read folder "${at('nope')}": ${missing}`)
  expect(await errors('validate', 'fleet.yaml')).toBe(
    `error: failed to read folder "${at('fleet.yaml')}": ENOTDIR: it is a file, or a part of the path is one; name a folder\n`,
  )
  expect(await errors('render', '--nodes', 'nope')).toBe(`error: failed to read nodes from "${at('nope')}": ${missing}`)
  expect(await errors('render', '--nodes', '.')).toBe(
    `error: failed to read nodes from "${folder}": EISDIR: it is a folder; name a file\n`,
  )
  for (const args of [['status'], ['history', 'x'], ['pause', 'x'], ['hold', 'n', '--reason', 'r'], ['render']])
    expect(await errors(...args, '--kubeconfig', 'nope')).toBe(`error: failed to read kubeconfig "${at('nope')}": ${missing}`)
  expect(await errors('validate', '--kubelet', 'nope')).toContain('no such file or folder; check the path')
})

test('a cluster that is not there, or does not know nodewave, is told with what to look at', async () => {
  const server = await startApiServer()
  const folder = await aFolder({ kubeconfig: server.kubeconfig() })
  const status = async () => (await runCli(folder, ['status', '--kubeconfig', 'kubeconfig'])).stderr
  expect(await status()).toMatch(/\(404\); is nodewave installed in this cluster\? Install it: docs\/install\.md\n$/)
  await server.close()
  // Not the port of that server: somebody else may have it by now.
  await writeFile(join(folder, 'kubeconfig'), server.kubeconfig().replaceAll(server.url, 'http://127.0.0.1:1'))
  expect(await status()).toMatch(
    /ECONNREFUSED .*; check that the API server runs, and that the kubeconfig names the right one; choose another with --kubeconfig and --context\n$/,
  )
})

test('an error without a file is told as it is', () => {
  expect(errorText(new Error('no'))).toBe('no')
  expect(errorText('no')).toBe('no')
  expect(
    errorText(new Error('connect', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' }) })),
  ).toBe('connect')
})

test('an error of the system alone is told with what was done to which path', () => {
  const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open', path: '/etc/shadow' })

  expect(errorText(error)).toBe('open "/etc/shadow": EACCES: you may not read it; check its owner and mode')
})

test('a cause that is its own cause ends', () => {
  const error = new Error('round')
  error.cause = error

  expect(errorText(error)).toBe('round')
})

test('plan warns of a flag that wins over a field, with both places', async () => {
  const folder = await aFolder({
    ...FLEET,
    'baseline.yaml': FLEET['baseline.yaml'].replace('v: 2', 'max-pods: 50'),
    'nodes.json': NODES,
  })
  const { stderr } = await runCli(folder, ['plan', '.', '--nodes', 'nodes.json'])

  expect(stderr).toContain('the kubelet uses --max-pods from here instead of the field maxPods at base.yaml:6:14')
})
