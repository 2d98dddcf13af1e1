import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { trackedEntries } from '../../scripts/image/tracked-entries.ts'

const root = mkdtempSync(join(tmpdir(), 'nodewave-'))
const git = (...args: string[]) => execFileSync('git', args, { cwd: root })

test('an image gets the files of a folder that Git has, and nothing that lies beside them', () => {
  git('init', '-q')
  mkdirSync(join(root, 'deploy/runit'), { recursive: true })
  writeFileSync(join(root, 'deploy/a.yaml'), 'a: 1\n')
  writeFileSync(join(root, 'deploy/runit/run'), '#!/bin/sh\n')
  chmodSync(join(root, 'deploy/runit/run'), 0o700)
  symlinkSync('a.yaml', join(root, 'deploy/link'))
  git('add', '.')
  writeFileSync(join(root, 'deploy/signing.key'), 'secret')
  expect(trackedEntries(root, 'deploy', 'app/deploy')).toEqual([
    { path: 'app/deploy/a.yaml', mode: 0o644, content: Buffer.from('a: 1\n') },
    { path: 'app/deploy/link', target: 'a.yaml' },
    { path: 'app/deploy/runit/run', mode: 0o755, content: Buffer.from('#!/bin/sh\n') },
  ])
  mkdirSync(join(root, 'examples'))
  writeFileSync(join(root, 'examples/own.yaml'), '')
  expect(() => trackedEntries(root, 'examples', 'app/examples')).toThrow('Git has no file of it')
  rmSync(root, { recursive: true })
})
