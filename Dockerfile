# Two images of one folder of packages and the launchers of both programs: `--target shell` on a slim Python, for steps that are scripts, and
# the last, without a system: the interpreter, its library, no shell. Neither has pip, or anything to write to. Any base with
# a python3 of 3.11 or later and GNU's C library will do, and the classic builder, too.

ARG BASE=python:3.13-slim

FROM ${BASE} AS build
WORKDIR /src
COPY . .
# `make image` brings the wheels, pip's own included; a bare `docker build .` fetches them.
RUN [ -d build/wheels ] || \
    { python3 -m pip download --no-cache-dir --no-deps --only-binary :all: --require-hashes --dest build/wheels \
        --requirement image-requirements.txt && \
      python3 "$(echo build/wheels/pip-*.whl)/pip" wheel --no-cache-dir --no-deps --wheel-dir build/wheels \
        --build-constraint image-requirements.txt .; }
# Each wheel is checked against its hash once more, as `build/wheels` may have been there. What builds stays here. pip
# takes a compiled wheel of ours if its name fits; it may still need a newer C library than that of the base. What no run
# reads stays here as well: the tests that other packages bring, and sources. The caller's uid can write no .pyc, so they
# are made here, in the place of the sources.
# With WHEEL=compiled, as in a release, the pure one is a failure.
ARG WHEEL=any
RUN sed -E '/^(pip|setuptools)==/,/[^\\]$/d' image-requirements.txt > installed.txt && \
    install="python3 $(echo build/wheels/pip-*.whl)/pip install --no-index --no-deps --root-user-action ignore \
      --no-compile --target /out/opt/expand-vars" && \
    $install --find-links build/wheels --require-hashes --requirement installed.txt && \
    $install --find-links build/wheels krm-expand-vars && \
    { python3 -c 'import sys; sys.path.insert(0, "/out/opt/expand-vars"); import expand_vars.pipeline' || \
      $install --upgrade build/wheels/krm_expand_vars-*-none-any.whl; } && \
    { [ "${WHEEL}" != compiled ] || ls /out/opt/expand-vars/expand_vars/pipeline.*.so; } && \
    rm -r /out/opt/expand-vars/bin && \
    cd /out/opt/expand-vars && \
    for module in $(find krm expand_vars -name '*.so'); do rm "${module%%.*}.py"; done && \
    python3 -m compileall -q -b -s /out /out/opt/expand-vars && \
    find . -name '*.py' -delete -o -name '*.pyi' -delete
# -I keeps the caller's environment out of the interpreter, -S spares it the search of site-packages.
RUN mkdir -p /out/usr/local/bin && cd /out/usr/local/bin && \
    for program in expand-vars krm; do \
      printf '%s\n' "#!$(command -v python3) -IS" \
        'import sys' \
        'sys.path.insert(0, "/opt/expand-vars")' \
        "from $(echo $program | tr - _).__main__ import main" \
        'sys.exit(main())' > $program && \
      chmod 755 $program || exit 1; \
    done

FROM ${BASE} AS shell
COPY --from=build /out /
# Nothing here runs as somebody else, installs anything, or is to be written to: not even /tmp, which a program in an
# image on top of this one gets from whoever starts it.
RUN find / -xdev -perm /6000 -type f -exec chmod a-s {} + && \
    find / -xdev -perm /022 ! -type l ! -type c -exec chmod go-w {} + && \
    find / -xdev \( -name pip -o -name 'pip-*' -o -name ensurepip -o -path '*/bin/pip[0-9]*' \) -prune -exec rm -rf {} +
# A first run, which fails the build if it fails. It also leaves .pyc files of the standard library's modules, where
# the base brings none.
RUN printf '%s\n' 'kind: ResourceList' 'items: []' \
      'functionConfig: {apiVersion: expandvars.dev/v1alpha1, kind: ExpandVars, metadata: {name: first}, spec: {}}' | \
    expand-vars
# A command looks for files below where it stands, which is not to be the whole system. This one is empty.
WORKDIR /work
# By number: `runAsNonRoot` cannot judge a name.
USER 65534:65534
ENTRYPOINT ["expand-vars"]
ARG VERSION=unreleased
LABEL org.opencontainers.image.title="expand-vars" \
      org.opencontainers.image.description="A KRM function that expands \$(VAR) references exactly as Kubernetes would, and changes no other byte" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/expand-vars/expand-vars" \
      org.opencontainers.image.documentation="https://github.com/expand-vars/expand-vars#readme"

# What the last image is made of, as it stands in the one above, and the names of its users.
FROM shell AS files
USER 0:0
WORKDIR /src
COPY scripts/rootfs.py .
RUN mkdir -p /out/etc && \
    grep -E '^(root|nobody):' /etc/passwd > /out/etc/passwd && \
    python3 -I rootfs.py > files.txt && \
    tar --create --no-recursion --files-from files.txt | tar --extract --directory /out

FROM scratch
COPY --from=files /out /
ENV PATH=/usr/local/bin:/usr/bin
WORKDIR /work
USER 65534:65534
ENTRYPOINT ["expand-vars"]
ARG VERSION=unreleased
LABEL org.opencontainers.image.title="expand-vars" \
      org.opencontainers.image.description="A KRM function that expands \$(VAR) references exactly as Kubernetes would, and changes no other byte" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/expand-vars/expand-vars" \
      org.opencontainers.image.documentation="https://github.com/expand-vars/expand-vars#readme"
