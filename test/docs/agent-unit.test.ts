import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const UNIT = readFileSync(join(ROOT, 'deploy/nodewave-agent.service'), 'utf8')
const DOCS = readFileSync(join(ROOT, 'docs/agent.md'), 'utf8')

const service = UNIT.split(/^\[(?:Service|Install)\]$/m)[1] ?? ''
const lines = service.split('\n').filter((line) => /^[A-Z]\w*=/.test(line) && !/^(ExecStart|Environment)=/.test(line))

test.each(lines)('docs/agent.md says what "%s" of the unit is for', (line) => {
  const [name = ''] = line.split('=')
  const written = new RegExp(`\`${name}=([^\`]*)\``).exec(DOCS)?.[1]
  expect(written).toBeDefined()
  // Where the docs name a value, it is the unit's.
  if (written !== '') expect(`${name}=${written}`).toBe(line)
})

test('the unit that allows no code made at run time starts Node without compilers', () => {
  expect(UNIT).toContain('MemoryDenyWriteExecute=yes')
  expect(/^ExecStart=.* --jitless /m.test(UNIT)).toBe(true)
})
