import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const read = (path: string) => parse(readFileSync(join(import.meta.dirname, '../..', path), 'utf8'))

test('the CI examples name kubelets for the preflight', () => {
  const { jobs } = read('examples/ci/github/plan.yml')
  const withs = jobs.plan.steps.map((step: { with?: object }) => step.with ?? {})
  expect(withs).toContainEqual(expect.objectContaining({ 'kubelet-versions': '1.35.4 1.36.3' }))
  expect(read('examples/ci/gitlab/plan.gitlab-ci.yml')['nodewave-plan'].variables).toEqual({ KUBELET_VERSIONS: '1.35.4 1.36.3' })
  expect(read('examples/ci/gitea/plan.yml').jobs.plan.env).toEqual({ KUBELET_VERSIONS: '1.35.4 1.36.3' })
})

test.each([
  ['actions/plan/action.yml', (file: string) => read(file).runs.steps.at(-1).run, '--kubelet $RUNNER_TEMP/kubelet-%s'],
  [
    'examples/ci/gitlab/plan.gitlab-ci.yml',
    (file: string) => read(file)['nodewave-plan'].script.at(-1),
    '--kubelet ./kubelet-%s',
  ],
  ['examples/ci/gitea/plan.yml', (file: string) => read(file).jobs.plan.steps.at(-2).run, '--kubelet ./kubelet-%s'],
])('%s passes each kubelet to plan', (file, commandOf, option) => {
  expect(commandOf(file)).toContain(option)
})
