import { expect, test } from 'vitest'
import { readPullRequestUrl } from '../../../src/forge/pull-request/pull-request-url.ts'

test.each([
  [
    'https://github.com/platform/fleet/pull/12',
    {
      forge: 'github',
      api: 'https://api.github.com',
      clone: 'https://github.com/platform/fleet.git',
      repository: 'platform/fleet',
    },
  ],
  [
    'https://git.example.com/platform/fleet/pull/12',
    {
      forge: 'github',
      api: 'https://git.example.com/api/v3',
      clone: 'https://git.example.com/platform/fleet.git',
      repository: 'platform/fleet',
    },
  ],
  [
    'https://git.example.com/platform/fleet/pulls/12',
    {
      forge: 'gitea',
      api: 'https://git.example.com/api/v1',
      clone: 'https://git.example.com/platform/fleet.git',
      repository: 'platform/fleet',
    },
  ],
  [
    'https://example.com:8443/forge/platform/fleet/pulls/12',
    {
      forge: 'gitea',
      api: 'https://example.com:8443/forge/api/v1',
      clone: 'https://example.com:8443/forge/platform/fleet.git',
      repository: 'platform/fleet',
    },
  ],
  [
    'https://gitlab.com/group/sub/fleet/-/merge_requests/12',
    {
      forge: 'gitlab',
      api: 'https://gitlab.com/api/v4',
      clone: 'https://gitlab.com/group/sub/fleet.git',
      repository: 'group/sub/fleet',
    },
  ],
])('the URL %s says which forge, repository and number', (url, place) => {
  expect(readPullRequestUrl(url)).toEqual({ ...place, number: 12 })
})

test.each([
  'https://github.com/platform/fleet',
  'https://github.com/platform/fleet/pull/x',
  'https://github.com/platform/fleet/pull/12/files',
  'ssh://git@github.com/platform/fleet/pull/12',
  'fleet/pull/12',
])('%s is the URL of no pull request', (url) => {
  expect(readPullRequestUrl(url)).toBeUndefined()
})
