import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { healthz } from '../../../src/agent/adapters/probes.ts'

const SERVER =
  "require('http').createServer((_, r) => r.end('ok')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })"

test('healthz does not believe a user who took the port of the kubelet and answers for it', async () => {
  const stranger = spawn('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '-e', SERVER], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [port] = await once(stranger.stdout, 'data')
    expect(await healthz(`http://127.0.0.1:${String(port).trim()}/healthz`)).toEqual({
      ok: false,
      detail: '200 ok, by a process of uid 65534, expected root',
    })
  } finally {
    stranger.kill()
  }
})
