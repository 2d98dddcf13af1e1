import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadFile } from '../../src/repo/load-file.ts'
import { formatProblem } from '../../src/repo/problem.ts'
import { aDocument } from './fleets.ts'

function problemsIn(text: string): string[] {
  return loadFile('f.yaml', new TextEncoder().encode(text)).problems.map(formatProblem)
}

const config = (fields: string) => aDocument('KubeletConfig', 'c', `spec:\n  config:\n${fields}`)

test('an unquoted version is refused with its source text and the version that was meant', () => {
  const pool = aDocument('NodePool', 'p', 'spec:\n  nodeSelector: {matchLabels: {}}\n  kubelet:\n    version: 1.30\n')

  expect(problemsIn(pool)).toEqual([
    `f.yaml:7:14  version: 1.30
                      ^^^^
  expected a kubelet version as a quoted string, such as "1.36.3"; YAML reads 1.30 as the number 1.3
  write  version: "1.30.0"`,
  ])
})

test('a version without its patch is refused with the patch we know', () => {
  const pool = aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {}}, kubelet: {version: "1.36"}}\n')

  expect(problemsIn(pool)[0]?.split('\n').slice(2)).toEqual([
    '  expected a kubelet version such as "1.36.3"',
    '  write  version: "1.36.3"',
  ])
})

test('a misspelt field is refused with the field that was meant', () => {
  expect(problemsIn(aDocument('NodePool', 'p', 'spec:\n  nodeSelector: {matchLabels: {}}\n  rolout: {}\n'))).toEqual([
    'f.yaml:6:3  rolout: {}\n            ^^^^^^\n  unknown field "rolout"\n  did you mean "rollout"?',
  ])
})

test('an unknown field that resembles nothing is refused with the fields there are', () => {
  expect(problemsIn(aDocument('FlagSet', 'p', 'spec: {flags: {}, weather: nice}\n'))).toEqual([
    'f.yaml:4:19  spec: {flags: {}, weather: nice}\n                               ^^^^^^^\n  unknown field "weather"\n  known here: flags',
  ])
})

test('a missing field is told of where it should stand', () => {
  expect(problemsIn(aDocument('NodePool', 'p', 'spec: {}\n'))).toEqual([
    'f.yaml:4:1  spec: {}\n            ^^^^\n  field "spec.nodeSelector" is missing: expected a map\n  known there: matchLabels, matchExpressions',
  ])
})

/** What is said of it, without the excerpt. */
function told(text: string): string[] {
  return problemsIn(text).map((problem) => problem.split('\n').slice(2).join(';'))
}

const poolOf = (spec: string) => aDocument('NodePool', 'p', `spec: {nodeSelector: {matchLabels: {}}, ${spec}}\n`)

const FLAG_NAME = '  expected the name of a kubelet flag without leading dashes, such as "node-labels"'

test.for([
  [poolOf('rollout: {maxUnavailable: "1"}'), '  expected a whole number or a percentage of at most 100%, such as "20%"'],
  [poolOf('rollout: {maxUnavailable: 150%}'), '  expected a whole number or a percentage of at most 100%, such as "20%"'],
  [poolOf('kubelet: {flags: "--v=2"}'), '  expected a map of flags, such as {max-pods: 110}'],
  [poolOf('kubelet: {flags: ["--v=2"]}'), '  expected a map of flags, such as {max-pods: 110}'],
  [poolOf('kubelet: {flags: {--v: 4}}'), `${FLAG_NAME};  write  v`],
  [poolOf('kubelet: {flags: {--max-pods: 5}}'), `${FLAG_NAME};  write  max-pods`],
  [poolOf('kubelet: {flags: {maxPods: 5}}'), `${FLAG_NAME};  write  max-pods`],
  [poolOf('kubelet: {flags: {max_pods: 5}}'), `${FLAG_NAME};  write  max-pods`],
  [poolOf('kubelet: {flags: {--max-pod: 5}}'), `${FLAG_NAME};  did you mean "max-pods"?`],
  [
    poolOf('kubelet: {flags: {shutdownGracePeriod: 10s}}'),
    `${FLAG_NAME};  it is a field of the configuration: write it into a KubeletConfig`,
  ],
  [
    aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: }}}\n'),
    '  expected a quoted string; it is empty;  write  node-role.kubernetes.io/worker: ""',
  ],
  [
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 110\n',
    '  the document has no name, by which others refer to it;  write  metadata: {name: NAME}',
  ],
  [
    poolOf('kubelet: {version: {{ .Values.version }}}'),
    '  a map or a list cannot be a key; a text that begins with "{" or "[" must be quoted, templates too',
  ],
] as const)('what people often write wrongly is refused in words that help: %#', ([text, message]) => {
  expect(told(text)).toEqual([message])
})

test('a quote that is never closed is told of where it is opened', () => {
  expect(problemsIn('apiVersion: v1\nkind: "NodePool\nmetadata: {name: p}\nspec: {}\n')).toEqual([
    'f.yaml:2:7  kind: "NodePool\n                  ^\n  a quote is opened here, and closed nowhere',
  ])
})

test.each([
  [
    'a: [1, 2\nb: 3\nc: 4\n',
    'f.yaml:1:4  a: [1, 2\n               ^\n  a list is opened here, and its "]" is missing or not indented enough',
  ],
  [
    'a: {b: 1\nc: 2\n',
    'f.yaml:1:4  a: {b: 1\n               ^\n  a map is opened here, and its "}" is missing or not indented enough',
  ],
  [
    'a:\n  - [{b: 1]\n',
    'f.yaml:2:6  - [{b: 1]\n               ^\n  a map is opened here, and its "}" is missing or not indented enough',
  ],
  [
    'spec: [\n  a: 1\n  b:\n    c: 2\n',
    'f.yaml:1:7  spec: [\n                  ^\n  a list is opened here, and its "]" is missing or not indented enough',
  ],
  [
    'a:\n  b: [\n    1\n]\n',
    'f.yaml:2:6  b: [\n               ^\n  a list is opened here, and its "]" is missing or not indented enough',
  ],
])('a bracket that is not closed is told of once, where it is opened: %#', (text, problem) => {
  expect(problemsIn(text)).toEqual([problem])
})

test('a wrong indentation is shown where it is, and not at the comment before it', () => {
  expect(problemsIn('spec:\n  a: 1\n  # comment\n\n    b: 2\n')).toEqual([
    'f.yaml:5:5  b: 2\n            ^\n  All mapping items must start at the same column',
  ])
})

test.each([
  [
    'spec:\n  nodeSelector\n  kubelet:\n    a: 1\n',
    'f.yaml:2:3  nodeSelector\n            ^^^^^^^^^^^^\n  a ":" is missing after this key\n  write the ":", or correct the indentation',
  ],
  ['a: 1\nb\n', 'f.yaml:2:1  b\n            ^\n  a ":" is missing after this key\n  write the ":", or correct the indentation'],
  [
    'a: b: c\n',
    'f.yaml:1:4  a: b: c\n               ^\n  this value is on the line of its key, and cannot have keys of its own\n  quote a value that contains ": ", or correct the indentation of the lines below it',
  ],
  [
    'a: 1\n  b: 2\n',
    'f.yaml:1:4  a: 1\n               ^\n  this value is on the line of its key, and cannot have keys of its own\n  quote a value that contains ": ", or correct the indentation of the lines below it',
  ],
  [
    'spec:\n\ta: 1\n  b: 2\nc: 3\n',
    'f.yaml:2:1  a: 1\n            ^\n  YAML does not allow a tab as indentation\n  replace each tab at the beginning of the line with two spaces',
  ],
])('a common mistake of YAML is explained once: %#', (text, problem) => {
  expect(problemsIn(text)).toEqual([problem])
})

test('a merge conflict is called one, where it begins', () => {
  expect(problemsIn(`${poolOf('')}<<<<<<< HEAD\nx: 1\n=======\nx: 2\n>>>>>>> main\n`)).toEqual([
    'f.yaml:5:1  <<<<<<< HEAD\n            ^^^^^^^^^^^^\n  an unresolved merge conflict starts here\n  resolve it, and remove the markers',
  ])
})

test('an invisible character that turns the direction of text is a warning, where it stands', () => {
  const text = aDocument('KubeletConfig', 'c', 'spec: {config: {maxPods: 110}} # \u202e 011 :sdoPxam\n')
  expect(problemsIn(text)).toEqual([
    `f.yaml:4:34  spec: {config: {maxPods: 110}} # · 011 :sdoPxam
                                              ^
  warning: the invisible character U+202E turns the direction of text: reviewers see another line than the one that counts
  remove it; where it is meant, write "\\u202E" in double quotes`,
  ])
  const escaped = aDocument('KubeletConfig', 'c', 'spec: {config: {clusterDomain: "a\\u202Eb"}}\n')
  expect(problemsIn(escaped)).toEqual([])
})

test('an unquoted boolean as a label is refused with the quoted one', () => {
  expect(problemsIn(aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {gpu: true}}}\n'))).toEqual([
    `f.yaml:4:42  spec: {nodeSelector: {matchLabels: {gpu: true}}}
                                                      ^^^^
  expected a quoted string; unquoted, true is a boolean
  write  gpu: "true"`,
  ])
})

test('a value that is none of the words is refused with the word that was meant', () => {
  const pool = aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {}}, rollout: {onFailure: rollback}}\n')

  expect(problemsIn(pool)[0]?.split('\n').slice(2)).toEqual([
    '  expected one of "Rollback", "Halt"',
    '  did you mean "Rollback"?',
  ])
})

test('a selector in a wave is judged as a selector when it is one', () => {
  const pool = aDocument(
    'NodePool',
    'p',
    'spec: {nodeSelector: {matchLabels: {}}, rollout: {waves: [{name: a, nodes: {matchLabel: {}}}]}}\n',
  )

  expect(problemsIn(pool).map((problem) => problem.split('\n').slice(2).join(';'))).toEqual([
    '  unknown field "matchLabel";  did you mean "matchLabels"?',
    '  field "spec.rollout.waves.0.nodes.matchLabels" is missing: expected matchLabels, matchExpressions or both',
  ])
})

test.each([['../secrets'], ['/etc/passwd'], ['a/../../b'], ['./a'], ['a\\b']])(
  'a path out of the repository is refused: %s',
  (from) => {
    expect(problemsIn(aDocument('HostProfile', 'h', `spec: {files: [{path: /etc/x, from: '${from}'}]}\n`))[0]).toContain(
      'expected a path in the repository, relative to the folder of the fleet, without ".."',
    )
  },
)

test.each([['etc/motd'], ['/etc/../motd'], ['/'], ['/etc/'], ['/etc//motd']])(
  'a path on the host that is not absolute and plain is refused: %s',
  (path) => {
    expect(problemsIn(aDocument('HostProfile', 'h', `spec: {files: [{path: '${path}', content: x}]}\n`))[0]).toContain(
      `expected an absolute path without "." and ".." in it, and without "/" twice or at its end`,
    )
  },
)

test('a number in flags that YAML changes is refused with the text to quote', () => {
  expect(problemsIn(aDocument('FlagSet', 'f', 'spec: {flags: {v: 2, node-labels: {release: 1.30}}}\n'))).toEqual([
    `f.yaml:4:45  spec: {flags: {v: 2, node-labels: {release: 1.30}}}
                                                         ^^^^
  YAML reads 1.30 as the number 1.3
  write  "1.30"`,
  ])
})

test('a plain KubeletConfiguration with a name is a KubeletConfig of its fields', () => {
  const text = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmetadata: {name: gpu}\nmaxPods: 40\n'
  const [document] = loadFile('f.yaml', new TextEncoder().encode(text)).documents

  expect(document).toMatchObject({ kind: 'KubeletConfig', name: 'gpu', spec: { config: { maxPods: 40 } } })
  expect(document?.source.where(['config', 'maxPods'])).toMatchObject({ line: 4, column: 10 })
})

test('a KubeletConfiguration of another version is refused', () => {
  expect(problemsIn(config('    apiVersion: kubelet.config.k8s.io/v1\n'))[0]).toContain(
    'expected apiVersion and kind, if stated, to be "kubelet.config.k8s.io/v1beta1" and "KubeletConfiguration"',
  )
})

test('empty documents and comments are nothing', () => {
  expect(problemsIn('---\n# nothing\n---\n')).toEqual([])
})

test('carriage returns and a byte order mark change nothing', () => {
  const text = `\ufeff${aDocument('FlagSet', 'f', 'spec: {flag: {}}\n')}`.replaceAll('\n', '\r\n')

  expect(problemsIn(text)[0]).toBe(
    'f.yaml:4:8  spec: {flag: {}}\n                   ^^^^\n  unknown field "flag"\n  did you mean "flags"?',
  )
})

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefgh'.split('').map((name, level) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[level]}`).join(', ')}]`),
]

test.each([
  ['a key that stands twice', config('    maxPods: 1\n    maxPods: 2\n'), 'f.yaml:7:5', '"maxPods" is defined twice'],
  ['a key that would change the prototype', config('    __proto__: {}\n'), 'f.yaml:6:5', 'a key may not be "__proto__"'],
  ['a tab', config('\tmaxPods: 1\n'), 'f.yaml:6:1', 'YAML does not allow a tab as indentation'],
  ['a tag', config('    maxPods: !!js 1\n'), 'f.yaml:6:14', 'Unresolved tag: tag:yaml.org,2002:js'],
  ['an alias to nothing', config('    maxPods: *gone\n'), 'f.yaml:1:1', 'cannot resolve the aliases'],
  ['an alias to what it is part of', config('    a: &a {b: *a}\n'), 'f.yaml:6:15', 'alias "a" leads to what it is part of'],
  ['an alias bomb', bomb.join('\n'), 'f.yaml:1:1', 'cannot resolve the aliases'],
  [
    'many aliases',
    `a: &a 1\nb: [${Array(101).fill('*a').join(', ')}]`,
    'f.yaml:2:405',
    'at most 100 aliases may stand in a document',
  ],
  [
    'deep nesting',
    config(`    a: ${'['.repeat(70)}${']'.repeat(70)}\n`),
    'f.yaml:6:69',
    'collections may be nested at most 64 deep',
  ],
  ['nesting that would exhaust the stack', `- ${'- '.repeat(100_000)}`, 'f.yaml:1:', 'collections may be nested at most 64 deep'],
  [
    'a number that JSON has not',
    config('    maxPods: .nan\n'),
    'f.yaml:6:14',
    'expected text, a number, true, false, null, a list or a map',
  ],
  ['too much text', `# ${'x'.repeat(1024 * 1024)}`, 'f.yaml:1:1', 'expected at most 1048576 bytes of YAML; the file has 1048578'],
])('%s is refused', (_, text, place, message) => {
  const [problem = ''] = problemsIn(text)

  expect(problem.slice(0, place.length)).toBe(place)
  expect(problem).toContain(message)
})

test('bytes that are no UTF-8 are refused', () => {
  expect(loadFile('f.yaml', Uint8Array.of(0xc3, 0x28)).problems.map(formatProblem)).toEqual(['f.yaml:1:1\n  expected UTF-8 text'])
})

test.for<readonly [what: string, field: (n: number) => string, lines: readonly [before: string, after: string]]>([
  ['unknown fields', (n) => `k${n.toString(36)}: 1`, ['{', '}']],
  ['numbers that YAML reads as others', (n) => `k${n.toString(36)}: 01`, ['{flags: {', '}}']],
])('a file is told of by a hundred errors when a map on one line has 80,000 %s', ([, field, [before, after]]) => {
  const map = `spec: ${before}${Array.from({ length: 80_000 }, (_, n) => field(n)).join(',')}${after}\n`
  expect(problemsIn(aDocument('FlagSet', 'f', map))).toHaveLength(100)
})

test('a file with thousands of errors is told of by a hundred of them', () => {
  expect(problemsIn(config('    k: 1\n'.repeat(5000)))).toHaveLength(100)
})

test('whatever text there is, every problem stands on a line of the file', () => {
  const word = fc.constantFrom(
    'kind',
    'spec',
    'NodePool',
    'FlagSet',
    'nodewave.io/v1alpha1',
    'apiVersion',
    'metadata',
    '1.30',
    '&a',
    '*a',
    '"',
    '- ',
    '? ',
    ': ',
    '{',
    '}',
    '[',
    ']',
    ',',
    '\n',
    '  ',
    '|',
    '!!int',
    '---\n',
    '\t',
    '\u0000',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string({ unit: 'grapheme', maxLength: 4 })), { maxLength: 60 }), (words) => {
      const text = words.join('')
      const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
      for (const { at } of loadFile('f.yaml', new TextEncoder().encode(text)).problems) {
        expect(at.column).toBeGreaterThanOrEqual(1)
        expect(at.text === '' || lines[at.line - 1]?.includes(at.text)).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})
