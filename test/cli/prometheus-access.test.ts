import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prometheusAccess } from '../../src/cli/controller/prometheus-access.ts'

test('a token is read from its file each time, for the origin of the URL', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'nodewave-')), 'token')
  const access = prometheusAccess({ prometheusUrl: 'https://prometheus.example.com/prom', prometheusTokenFile: file })
  writeFileSync(file, 'one\n')

  expect(access?.origin).toBe('https://prometheus.example.com')
  expect(await access?.token()).toBe('one')
  writeFileSync(file, 'two\n')
  expect(await access?.token()).toBe('two')
})

test('without a token nobody is shown one', () => {
  expect(prometheusAccess({})).toBeUndefined()
})

test.each([
  [{ prometheusTokenFile: '/token' }, '--prometheus-url and --prometheus-token-file need each other'],
  [{ prometheusUrl: 'https://p' }, '--prometheus-url and --prometheus-token-file need each other'],
  [{ prometheusUrl: 'prometheus:9090', prometheusTokenFile: '/token' }, '--prometheus-url "prometheus:9090": expected a URL'],
])('%j is refused', (options, message) => {
  expect(() => prometheusAccess(options)).toThrow(message)
})

test('a token of two lines is refused by the name of its file, and not shown', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'nodewave-')), 'token')
  writeFileSync(file, 'first\nsecond\n')
  const access = prometheusAccess({ prometheusUrl: 'https://prometheus.example.com', prometheusTokenFile: file })

  await expect(access?.token()).rejects.toThrow(new Error(`"${file}": expected one line of ASCII without spaces`))
})
