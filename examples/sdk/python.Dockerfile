FROM python:3.13-slim
RUN pip install --no-cache-dir krm-expand-vars
COPY set_labels.py /
USER 65534:65534
ENTRYPOINT ["python3", "/set_labels.py"]
