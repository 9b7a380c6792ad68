FROM python:3.13-slim
RUN pip install --no-cache-dir krm-expand-vars
COPY set_labels.py /usr/local/bin/set-labels
USER 65534:65534
ENTRYPOINT ["set-labels"]
